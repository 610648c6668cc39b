//! POST, PUT and PATCH: decode, fill in, keep what the server owns, validate, note the owners, store.

use crate::advice;
use crate::cluster::Cluster;
use crate::defaults;
use crate::fields::{FieldSet, compare, root_shape};
use crate::kinds::{Kinds, Resource};
use crate::managed::{self, Author, Operation};
use crate::patch::{json_patch, merge_patch, strategic_patch};
use crate::request::{PatchType, Request, Verb};
use crate::schema::kind_type;
use crate::serve::decode::{decode, reset_status, set_namespace};
use crate::serve::read::scale_of;
use crate::status::{Cause, Status};
use crate::store::Key;
use crate::validate;
use base::{Json, hash};
use std::rc::Rc;

/// What a write carries through its stages.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) resource: &'a Resource,
    pub(crate) manager: String,
    pub(crate) subresource: &'a str,
    pub(crate) dry_run: bool,
    pub(crate) warnings: &'a mut Vec<String>,
    pub(crate) field_validation: &'a str,
    /// The paths that a server-side apply sets, when it creates the object.
    pub(crate) applied: Option<FieldSet>,
}

/// Kinds that count generations (custom resources do too).
const GENERATIONS: &[&str] = &[
    "CronJob",
    "DaemonSet",
    "Deployment",
    "Ingress",
    "IngressClass",
    "Job",
    "NetworkPolicy",
    "Pod",
    "PodDisruptionBudget",
    "PodTemplate",
    "ReplicaSet",
    "ReplicationController",
    "StatefulSet",
    "CustomResourceDefinition",
];

impl Cluster {
    pub(crate) fn write(&mut self, request: &Request) -> Result<(u16, Json), Status> {
        self.write_warned(request, &mut Vec::new())
    }

    pub(crate) fn write_warned(
        &mut self,
        request: &Request,
        warnings: &mut Vec<String>,
    ) -> Result<(u16, Json), Status> {
        let resource = self.served(request)?;
        let manager = match request.param("fieldManager") {
            "" => managed::manager_of_agent(&request.user_agent),
            manager => manager.to_string(),
        };
        let mut context = Context {
            resource: &resource,
            manager,
            subresource: request.subresource.as_deref().unwrap_or(""),
            dry_run: request.param("dryRun") == "All",
            warnings,
            field_validation: request.param("fieldValidation"),
            applied: None,
        };
        let key = self.key_for(&resource, request);
        match request.verb {
            Verb::Create if context.subresource == "binding" => self.bind(&key, &request.body, &mut context),
            Verb::Create => self.create_object(key, request.body.clone(), &mut context),
            Verb::Update if context.subresource == "scale" => {
                let object = self.existing(&key)?;
                self.write_scale(&key, &object, &request.body, &mut context)
            }
            Verb::Update => {
                if self.store.get(&key).is_none() && upsert(&resource.kind) && context.subresource.is_empty() {
                    return self.create_object(key, request.body.clone(), &mut context);
                }
                self.existing(&key)?;
                Ok((200, self.update_object(&key, request.body.clone(), &mut context)?))
            }
            Verb::Patch => self.patch_object(&key, request, &mut context),
            Verb::Delete => self.delete_object(&key, request, &mut context),
            Verb::DeleteCollection => self.delete_collection(&resource, request, &mut context),
            Verb::Get | Verb::List => self.read(request).map(|body| (200, body)),
        }
    }

    pub(crate) fn existing(&self, key: &Key) -> Result<Json, Status> {
        self.store.get(key).cloned().ok_or_else(|| Status::not_found(&key.group, &key.resource, &key.name))
    }

    /// Creates an object.
    pub(crate) fn create_object(
        &mut self,
        mut key: Key,
        body: Json,
        context: &mut Context<'_>,
    ) -> Result<(u16, Json), Status> {
        let resource = context.resource;
        let mut object = decode(&body, context)?;
        self.admit_custom(&mut object, context)?;
        if !object.text_at(&["metadata", "resourceVersion"]).is_empty() {
            return Err(Status::new(500, "", "resourceVersion should not be set on objects to be created"));
        }
        set_namespace(&mut object, &key)?;
        if object.text_at(&["metadata", "name"]).is_empty() && !object.text_at(&["metadata", "generateName"]).is_empty()
        {
            let name = self.generated_name(&key, object.text_at(&["metadata", "generateName"]));
            object.set(&["metadata", "name"], Json::str(name));
        }
        if !key.name.is_empty() && object.text_at(&["metadata", "name"]).is_empty() {
            object.set(&["metadata", "name"], Json::str(key.name.clone()));
        }
        key.name = object.text_at(&["metadata", "name"]).into();
        self.namespace_open(&key)?;
        defaults::fill(&resource.kind, &mut object);
        for kept_by_server in
            ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"]
        {
            object.remove(&["metadata", kept_by_server]);
        }
        if resource.status {
            reset_status(&mut object, resource);
        }
        let mut entries = managed::read(&object);
        object.remove(&["metadata", "managedFields"]);
        let difference = compare(&Json::Null, &object, &self.shape_of(resource), schema(resource));
        let api_version = resource.api_version();
        let author = Author {
            manager: &context.manager,
            api_version: &api_version,
            subresource: context.subresource,
            now: self.now,
        };
        match context.applied.take() {
            Some(applied) => managed::entry_of(&mut entries, &author, Operation::Apply).fields = applied,
            None => managed::after_update(&mut entries, &difference, &author),
        }
        managed::write(&mut object, entries);
        self.finish_new(&key, &mut object, resource)?;
        advice::warn(&resource.kind, &object, context.warnings);
        let causes = validate::new_object(&resource.kind, &object);
        if !causes.is_empty() {
            return Err(Status::invalid(&resource.group, &resource.kind, &key.name, &causes));
        }
        if self.store.get(&key).is_some() {
            return Err(Status::already_exists(&key.group, &key.resource, &key.name));
        }
        if context.dry_run {
            return Ok((201, object));
        }
        let stored = self.store_object(key, object);
        Ok((201, stored))
    }

    /// Identity, time, and what storage and admission set on a new object.
    fn finish_new(&self, key: &Key, object: &mut Json, resource: &Resource) -> Result<(), Status> {
        object.set(&["metadata", "uid"], Json::str(self.new_uid(key)));
        object.set(&["metadata", "creationTimestamp"], Json::str(self.now.rfc3339()));
        if counts_generations(resource) || &*resource.kind == "PriorityClass" {
            object.set(&["metadata", "generation"], Json::Int(1));
        }
        let who = format!("{}/{}/{}", key.resource, key.namespace, key.name);
        match &*resource.kind {
            "Pod" => {
                self.service_account_there(key, object)?;
                let suffix = hash::suffix(self.seed, &who, "kube-api-access", 5);
                defaults::admit_pod(object, &suffix);
                object.set(&["status", "phase"], "Pending".into());
                if !object.items_at(&["spec", "schedulingGates"]).is_empty() {
                    let condition = Json::map([
                        ("type", Json::str("PodScheduled")),
                        ("status", "False".into()),
                        ("lastProbeTime", Json::Null),
                        ("lastTransitionTime", Json::Null),
                        ("reason", "SchedulingGated".into()),
                        ("message", "Scheduling is blocked due to non-empty scheduling gates".into()),
                    ]);
                    object.set(&["status", "conditions"], Json::list([condition]));
                }
                let class = defaults::quality_class(object);
                object.set(&["status", "qosClass"], class.into());
            }
            "Namespace" => {
                object.set(&["spec", "finalizers"], Json::list(["kubernetes".into()]));
                object.set(&["status", "phase"], "Active".into());
            }
            "PersistentVolume" | "PersistentVolumeClaim" => {
                let short = if &*resource.kind == "PersistentVolume" { "pv" } else { "pvc" };
                let finalizer = Json::str(format!("kubernetes.io/{short}-protection"));
                let mut all = object.items_at(&["metadata", "finalizers"]).to_vec();
                if !all.contains(&finalizer) {
                    all.push(finalizer);
                    object.set(&["metadata", "finalizers"], Json::list(all));
                }
                object.set(&["status", "phase"], "Pending".into());
            }
            "Service" => self.allocate_addresses(&who, object),
            "Job" => job_labels(object),
            _ => {}
        }
        Ok(())
    }

    fn service_account_there(&self, key: &Key, pod: &Json) -> Result<(), Status> {
        let name = match pod.text_at(&["spec", "serviceAccountName"]) {
            "" => "default",
            name => name,
        };
        if self.store.get(&Key::new("", "serviceaccounts", &key.namespace, name)).is_none() {
            let why = format!(
                "error looking up service account {}/{name}: serviceaccount \"{name}\" not found",
                key.namespace
            );
            return Err(Status::forbidden("", "pods", &key.name, &why));
        }
        Ok(())
    }

    /// Service addresses: 10.43.0.0/16 and node ports 30000–32767, from the service's name.
    fn allocate_addresses(&self, who: &str, object: &mut Json) {
        let kind = object.text_at(&["spec", "type"]).to_string();
        if kind == "ExternalName" {
            return;
        }
        if object.text_at(&["spec", "clusterIP"]).is_empty() {
            let n = hash::hash(self.seed, who, "clusterIP", 0);
            let ip = format!("10.43.{}.{}", (n >> 8) % 255 + 1, n % 253 + 2);
            object.set(&["spec", "clusterIP"], Json::str(ip));
        }
        let ip = object.text_at(&["spec", "clusterIP"]).to_string();
        if object.items_at(&["spec", "clusterIPs"]).is_empty() {
            object.set(&["spec", "clusterIPs"], Json::list([Json::str(ip)]));
        }
        if object.at(&["spec", "ipFamilies"]).is_none() {
            object.set(&["spec", "ipFamilies"], Json::list(["IPv4".into()]));
        }
        if object.at(&["spec", "ipFamilyPolicy"]).is_none() {
            object.set(&["spec", "ipFamilyPolicy"], "SingleStack".into());
        }
        let wants_port = kind == "NodePort"
            || kind == "LoadBalancer"
                && object.at(&["spec", "allocateLoadBalancerNodePorts"]).and_then(Json::as_bool) != Some(false);
        if wants_port {
            let mut ports = object.items_at(&["spec", "ports"]).to_vec();
            for (i, port) in ports.iter_mut().enumerate() {
                if port.int_at(&["nodePort"]).unwrap_or(0) == 0 {
                    let number = 30_000 + hash::hash(self.seed, who, "nodePort", i as u64) % 2768;
                    port.set(&["nodePort"], Json::Int(number as i64));
                }
            }
            object.set(&["spec", "ports"], Json::list(ports));
        }
    }

    fn namespace_open(&self, key: &Key) -> Result<(), Status> {
        if key.namespace.is_empty() {
            return Ok(());
        }
        let namespace = self.existing(&Key::new("", "namespaces", "", &key.namespace))?;
        if namespace.at(&["metadata", "deletionTimestamp"]).is_none() {
            return Ok(());
        }
        let why = format!("unable to create new content in namespace {} because it is being terminated", key.namespace);
        let mut status = Status::forbidden(&key.group, &key.resource, &key.name, &why);
        let cause = Json::map([
            ("reason", Json::str("NamespaceTerminating")),
            ("message", Json::str(format!("namespace {} is being terminated", key.namespace))),
            ("field", "metadata.namespace".into()),
        ]);
        status.details.set(&["causes"], Json::list([cause]));
        Err(status)
    }

    fn new_uid(&self, key: &Key) -> String {
        let who = format!("{}/{}/{}/{}", key.group, key.resource, key.namespace, key.name);
        let uid = |n: u64| hash::uuid(self.seed, &who, &format!("uid/{}/{n}", self.now.0));
        (0..16).map(uid).find(|uid| !self.buried.contains(uid.as_str())).unwrap_or_else(|| uid(16))
    }

    /// `generateName` with five characters that no object of the resource has yet.
    pub(crate) fn generated_name(&self, key: &Key, base: &str) -> String {
        let who = format!("{}/{}/{base}", key.resource, key.namespace);
        let name = |n: u64| format!("{base}{}", hash::suffix(self.seed, &who, &format!("name/{}/{n}", self.now.0), 5));
        (0..10_000).map(name).find(|name| self.store.get(&key.sibling(name)).is_none()).unwrap_or_else(|| name(10_000))
    }

    /// Replaces an object, or its status; the request's own resource version and uid are preconditions.
    pub(crate) fn update_object(&mut self, key: &Key, body: Json, context: &mut Context<'_>) -> Result<Json, Status> {
        let old = self.existing(key)?;
        let resource = context.resource;
        let mut new = decode(&body, context)?;
        self.admit_custom(&mut new, context)?;
        set_namespace(&mut new, key)?;
        if new.text_at(&["metadata", "name"]).is_empty() {
            new.set(&["metadata", "name"], Json::str(key.name.clone()));
        }
        if new.text_at(&["metadata", "name"]) != &*key.name {
            return Err(Status::bad_request(format!(
                "the name of the object ({}) does not match the name on the URL ({})",
                new.text_at(&["metadata", "name"]),
                key.name
            )));
        }
        let version = new.text_at(&["metadata", "resourceVersion"]).to_string();
        let definition = &*resource.kind == "CustomResourceDefinition";
        if version.is_empty() && (resource.custom || definition) {
            let cause = Cause::invalid("metadata.resourceVersion", &Json::Int(0), "must be specified for an update");
            let name = if definition { &resource.plural } else { &resource.kind };
            return Err(Status::invalid(&resource.group, name, &key.name, &[cause]));
        }
        if !version.is_empty() && version != old.text_at(&["metadata", "resourceVersion"]) {
            const WHY: &str =
                "the object has been modified; please apply your changes to the latest version and try again";
            return Err(Status::conflict(&key.group, &key.resource, &key.name, WHY));
        }
        let (uid, old_uid) = (new.text_at(&["metadata", "uid"]), old.text_at(&["metadata", "uid"]));
        if !uid.is_empty() && uid != old_uid {
            let registry = if &*key.group == "apiextensions.k8s.io" || resource.custom {
                format!("{}/", key.group)
            } else {
                String::new()
            };
            let namespace = if key.namespace.is_empty() { String::new() } else { format!("{}/", key.namespace) };
            let why = format!(
                "StorageError: invalid object, Code: 4, Key: /registry/{registry}{}/{namespace}{}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, UID in object meta: {old_uid}",
                storage_name(&key.resource),
                key.name
            );
            return Err(Status::conflict(&key.group, &key.resource, &key.name, &why));
        }
        defaults::fill(&resource.kind, &mut new);
        let given = new.at(&["metadata", "managedFields"]).cloned();
        let entries = match given.as_ref().and_then(Json::as_list) {
            Some(list) if context.subresource.is_empty() => {
                if list.iter().all(|item| item.as_map().is_none_or(|m| m.is_empty())) {
                    Some(Vec::new())
                } else {
                    Some(managed::read(&new))
                }
            }
            _ => None,
        };
        let new = self.carry_over(&old, new, resource, context.subresource);
        self.commit_update(key, &old, new, entries, context)
    }

    /// What the server keeps from the stored object, whatever the request says.
    fn carry_over(&self, old: &Json, new: Json, resource: &Resource, subresource: &str) -> Json {
        let mut out = new;
        if subresource == "status" {
            let status = out.remove(&["status"]);
            let metadata = out.remove(&["metadata"]);
            out = old.clone();
            // Built-in kinds let a status write change metadata; custom resources, and labels of Deployments, do not.
            if let Some(metadata) = metadata.filter(|_| !resource.custom) {
                out.set(&["metadata"], metadata);
                if &*resource.kind == "Deployment" {
                    match old.at(&["metadata", "labels"]) {
                        Some(labels) => out.set(&["metadata", "labels"], labels.clone()),
                        None => {
                            out.remove(&["metadata", "labels"]);
                        }
                    }
                }
            }
            match status {
                Some(status) => out.set(&["status"], status),
                None => {
                    out.remove(&["status"]);
                }
            }
        } else if resource.status {
            match old.get("status") {
                Some(status) => out.set(&["status"], status.clone()),
                None => {
                    out.remove(&["status"]);
                }
            }
        }
        for name in ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"] {
            match old.at(&["metadata", name]) {
                Some(value) => out.set(&["metadata", name], value.clone()),
                None => {
                    out.remove(&["metadata", name]);
                }
            }
        }
        if &*resource.kind == "Service" {
            for name in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
                let missing = out.at(&["spec", name]).is_none();
                if let Some(value) = old.at(&["spec", name]).filter(|_| missing)
                    && out.text_at(&["spec", "type"]) != "ExternalName"
                {
                    out.set(&["spec", name], value.clone());
                }
            }
            self.allocate_addresses(
                &format!("services/{}/{}", old.text_at(&["metadata", "namespace"]), old.text_at(&["metadata", "name"])),
                &mut out,
            );
        }
        if &*resource.kind == "DaemonSet" {
            const COUNT: &[&str] = &["metadata", "annotations", "deprecated.daemonset.template.generation"];
            let count: i64 = old.text_at(COUNT).parse().unwrap_or(1);
            let changed = old.at(&["spec", "template"]) != out.at(&["spec", "template"]);
            out.set(COUNT, Json::str((count + i64::from(changed)).to_string()));
        }
        if &*resource.kind == "Namespace"
            && subresource != "finalize"
            && let Some(finalizers) = old.at(&["spec", "finalizers"])
        {
            out.set(&["spec", "finalizers"], finalizers.clone());
        }
        out
    }

    /// Generation, owners, validation and storage of a changed object; a change of nothing is not written.
    pub(crate) fn commit_update(
        &mut self,
        key: &Key,
        old: &Json,
        new: Json,
        given: Option<Vec<managed::Entry>>,
        context: &mut Context<'_>,
    ) -> Result<Json, Status> {
        let resource = context.resource;
        let difference = compare(&bare(old), &bare(&new), &self.shape_of(resource), schema(resource));
        let mut entries = given.unwrap_or_else(|| managed::read(old));
        let api_version = resource.api_version();
        let author = Author {
            manager: &context.manager,
            api_version: &api_version,
            subresource: context.subresource,
            now: self.now,
        };
        managed::after_update(&mut entries, &difference, &author);
        self.commit_settled(key, old, new, entries, context)
    }

    /// The same when it is settled already who owns what.
    pub(crate) fn commit_settled(
        &mut self,
        key: &Key,
        old: &Json,
        mut new: Json,
        entries: Vec<managed::Entry>,
        context: &mut Context<'_>,
    ) -> Result<Json, Status> {
        let resource = context.resource;
        let (before, mut after) = (bare(old), bare(&new));
        if counts_generations(resource) && context.subresource != "status" && body_differs(&before, &after, resource) {
            let next = old.int_at(&["metadata", "generation"]).unwrap_or(0) + 1;
            new.set(&["metadata", "generation"], Json::Int(next));
            after.set(&["metadata", "generation"], Json::Int(next));
        }
        if context.subresource.is_empty() {
            advice::warn(&resource.kind, &new, context.warnings);
        }
        let causes = validate::changed_object(&resource.kind, old, &new);
        if !causes.is_empty() {
            return Err(Status::invalid(&resource.group, &resource.kind, &key.name, &causes));
        }
        let same_owners = {
            let owners = |list: &[managed::Entry]| -> Vec<managed::Entry> {
                list.iter().map(|e| managed::Entry { time: String::new(), ..e.clone() }).collect()
            };
            owners(&entries) == owners(&managed::read(old))
        };
        managed::write(&mut new, entries);
        if before == after && same_owners {
            return Ok(old.clone());
        }
        let version = old.at(&["metadata", "resourceVersion"]).cloned().unwrap_or_default();
        new.set(&["metadata", "resourceVersion"], version);
        if context.dry_run {
            return Ok(new);
        }
        let leaving = new.at(&["metadata", "deletionTimestamp"]).is_some()
            && new.items_at(&["metadata", "finalizers"]).is_empty()
            && !old.items_at(&["metadata", "finalizers"]).is_empty()
            && new.items_at(&["spec", "finalizers"]).is_empty();
        let stored = self.store_object(key.clone(), new);
        let stopped = |pod: &Json| pod.int_at(&["metadata", "deletionGracePeriodSeconds"]) == Some(0);
        if leaving && (&*resource.kind != "Pod" || stopped(&stored)) {
            self.remove_object(key);
        }
        Ok(stored)
    }

    fn patch_object(&mut self, key: &Key, request: &Request, context: &mut Context<'_>) -> Result<(u16, Json), Status> {
        let Some(kind) = PatchType::parse(&request.content_type) else {
            const KNOWN: &str = "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml, application/apply-patch+cbor";
            let text =
                format!("the body of the request was in an unknown format - accepted media types include: {KNOWN}");
            return Err(Status::new(415, "UnsupportedMediaType", text));
        };
        if kind == PatchType::Apply {
            return self.server_side_apply(key, &request.body, request.param("force") == "true", context);
        }
        if kind == PatchType::Strategic && context.resource.custom {
            const KNOWN: &str =
                "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
            let text =
                format!("the body of the request was in an unknown format - accepted media types include: {KNOWN}");
            return Err(Status::new(415, "UnsupportedMediaType", text));
        }
        let old = self.existing(key)?;
        let scaled = context.subresource == "scale";
        let from = if scaled { scale_of(&old, context.resource)? } else { old.clone() };
        let patched = match kind {
            PatchType::Merge => merge_patch(&from, &request.body),
            PatchType::Json => json_patch(&from, &request.body)?,
            _ => {
                let shape = root_shape(&context.resource.kind, schema(context.resource).is_some());
                strategic_patch(&from, &request.body, &shape)?
            }
        };
        if scaled {
            return self.write_scale(key, &old, &patched, context);
        }
        let mut patched = patched;
        if request.body.at(&["metadata", "managedFields"]).is_none()
            && kind != PatchType::Json
            && let Some(fields) = old.at(&["metadata", "managedFields"])
        {
            patched.set(&["metadata", "managedFields"], fields.clone());
        }
        Ok((200, self.update_object(key, patched, context)?))
    }

    fn write_scale(
        &mut self,
        key: &Key,
        old: &Json,
        scale: &Json,
        context: &mut Context<'_>,
    ) -> Result<(u16, Json), Status> {
        scale_of(old, context.resource)?;
        let replicas = scale.int_at(&["spec", "replicas"]).unwrap_or(0);
        if replicas < 0 {
            let cause = Cause::invalid("spec.replicas", &Json::Int(replicas), "must be greater than or equal to 0");
            return Err(Status::invalid("autoscaling", "Scale", &key.name, &[cause]));
        }
        let mut new = old.clone();
        new.set(&["spec", "replicas"], Json::Int(replicas));
        let stored = self.commit_update(key, old, new, None, context)?;
        Ok((200, scale_of(&stored, context.resource)?))
    }

    fn bind(&mut self, key: &Key, body: &Json, context: &mut Context<'_>) -> Result<(u16, Json), Status> {
        let old = self.existing(key)?;
        let mut new = old.clone();
        new.set(&["spec", "nodeName"], Json::str(body.text_at(&["target", "name"])));
        self.commit_update(key, &old, new, None, context)?;
        Ok((
            201,
            Json::map([
                ("kind", Json::str("Status")),
                ("apiVersion", "v1".into()),
                ("metadata", Json::map::<&str>([])),
                ("status", "Success".into()),
                ("code", Json::Int(201)),
            ]),
        ))
    }

    /// Stores an object, serves the resource that a CustomResourceDefinition defines, and wakes the controllers.
    pub(crate) fn store_object(&mut self, key: Key, object: Json) -> Json {
        if &*key.resource == "customresourcedefinitions"
            && let Some(resource) = Kinds::of_definition(&object)
        {
            self.kinds.add(resource);
        }
        let stored = self.store.put(key, object);
        self.wake();
        stored
    }

    /// Removes an object for good.
    pub(crate) fn remove_object(&mut self, key: &Key) {
        if let Some(old) = self.store.remove(key) {
            self.buried.insert_mut(old.text_at(&["metadata", "uid"]).into());
            if &*key.resource == "customresourcedefinitions" {
                let (group, plural) = (old.text_at(&["spec", "group"]), old.text_at(&["spec", "names", "plural"]));
                let instances: Vec<Key> = self.store.list(group, plural, None).map(|(key, _)| key.clone()).collect();
                self.kinds.remove(group, plural);
                instances.iter().for_each(|key| self.remove_object(key));
            }
            self.wake();
        }
    }
}

/// The type table's entry of a resource's kind; custom resources have none.
pub(crate) fn schema(resource: &Resource) -> Option<&'static crate::schema::Type> {
    (!resource.custom).then(|| kind_type(&resource.kind)).flatten()
}

/// The folder of a resource in the server's storage.
fn storage_name(resource: &str) -> &str {
    match resource {
        "services" => "services/specs",
        "endpoints" => "services/endpoints",
        "nodes" => "minions",
        "replicationcontrollers" => "controllers",
        "ingresses" => "ingress",
        other => other,
    }
}

pub(crate) fn counts_generations(resource: &Resource) -> bool {
    resource.custom || GENERATIONS.contains(&&*resource.kind)
}

fn upsert(kind: &str) -> bool {
    matches!(kind, "Service" | "Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding" | "LimitRange" | "Lease")
}

fn job_labels(object: &mut Json) {
    if object.at(&["spec", "manualSelector"]).and_then(Json::as_bool) == Some(true) {
        return;
    }
    let uid = object.text_at(&["metadata", "uid"]).to_string();
    let name = object.text_at(&["metadata", "name"]).to_string();
    for (key, value) in [
        ("batch.kubernetes.io/controller-uid", &uid),
        ("batch.kubernetes.io/job-name", &name),
        ("controller-uid", &uid),
        ("job-name", &name),
    ] {
        object.set(&["spec", "template", "metadata", "labels", key], Json::str(value.as_str()));
        object.set(&["metadata", "labels", key], Json::str(value.as_str()));
    }
    object.set(&["spec", "selector", "matchLabels", "batch.kubernetes.io/controller-uid"], Json::str(uid));
}

/// An object without what changes at every write.
fn bare(object: &Json) -> Json {
    let mut out = object.clone();
    if let Json::Map(members) = &mut out
        && let Some(Json::Map(metadata)) = Rc::make_mut(members).get_mut("metadata")
    {
        let metadata = Rc::make_mut(metadata);
        metadata.remove("managedFields");
        metadata.remove("resourceVersion");
    }
    out
}

/// True when something that counts for the generation changed.
fn body_differs(before: &Json, after: &Json, resource: &Resource) -> bool {
    // A Deployment's annotations count too: its controller copies them to ReplicaSets.
    const NOTES: &[&str] = &["metadata", "annotations"];
    if &*resource.kind == "Deployment" && before.at(NOTES) != after.at(NOTES) {
        return true;
    }
    let strip = |object: &Json| {
        let mut out = object.clone();
        for name in ["metadata", "apiVersion", "kind"] {
            out.remove(&[name]);
        }
        if resource.status || !resource.custom {
            out.remove(&["status"]);
        }
        out
    };
    strip(before) != strip(after)
}
