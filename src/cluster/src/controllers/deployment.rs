//! The Deployment controller: one ReplicaSet per template, rolled over within maxSurge and maxUnavailable.

use super::{MANAGER, Work, controller_reference, owners};
use crate::cluster::Cluster;
use crate::status::Status;
use crate::store::Key;
use base::{Json, hash};

pub(super) const REVISION: &str = "deployment.kubernetes.io/revision";
const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
const MAX: &str = "deployment.kubernetes.io/max-replicas";
const HASH: &str = "pod-template-hash";
/// Annotations of a Deployment that its ReplicaSets do not get.
const NOT_COPIED: &[&str] = &[
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    "deployment.kubernetes.io/revision-history",
    DESIRED,
    MAX,
    "deprecated.deployment.rollback.to",
];

/// A ReplicaSet of the Deployment.
pub(super) type Set = (Key, Json);

impl Cluster {
    #[inline(never)]
    pub(super) fn sync_deployment(&mut self, key: &Key) -> Result<(), Status> {
        let Some(deployment) = self.store.get(key).cloned() else { return Ok(()) };
        if deployment.at(&["spec", "selector"]).and_then(Json::as_map).is_none_or(|m| m.is_empty()) {
            return Ok(());
        }
        let sets = self.sets_of(&deployment);
        if deployment.at(&["metadata", "deletionTimestamp"]).is_some() {
            let new = newest_equal(&deployment, &sets);
            return self.write_status(key, &sets, new.as_ref(), false);
        }
        let paused = deployment.at(&["spec", "paused"]).and_then(Json::as_bool) == Some(true);
        self.note_pause(key, paused)?;
        let deployment = self.existing(key)?;
        if paused || scaling(&deployment, &sets) {
            self.scale(&deployment, &sets)?;
            let sets = self.sets_of(&deployment);
            if paused {
                self.clean_up(&deployment, &sets);
            }
            let new = newest_equal(&deployment, &sets);
            return self.write_status(key, &sets, new.as_ref(), false);
        }
        let recreate = deployment.text_at(&["spec", "strategy", "type"]) == "Recreate";
        if recreate {
            let new = newest_equal(&deployment, &sets);
            let old: Vec<Set> = sets.iter().filter(|s| Some(&s.0) != new.as_ref().map(|n| &n.0)).cloned().collect();
            let mut scaled = false;
            for set in &old {
                scaled |= self.scale_set(&deployment, set, 0)?;
            }
            let running = old.iter().any(|(_, s)| !self.pods_of(s.text_at(&["metadata", "uid"])).is_empty());
            if scaled || running {
                let sets = self.sets_of(&deployment);
                return self.write_status(key, &sets, new.as_ref(), true);
            }
        }
        let new = self.new_set(key, &sets, recreate)?;
        let deployment = self.existing(key)?;
        let sets = self.sets_of(&deployment);
        let Some(new) = sets.iter().find(|(k, _)| *k == new).cloned() else { return Ok(()) };
        let wanted = replicas(&deployment);
        let up = if recreate { wanted } else { new_set_size(&deployment, &sets, &new) };
        if self.scale_set(&deployment, &new, up)? || (!recreate && self.scale_down_old(&deployment, &sets, &new)?) {
            let sets = self.sets_of(&deployment);
            let new = sets.iter().find(|(k, _)| *k == new.0).cloned();
            return self.write_status(key, &sets, new.as_ref(), true);
        }
        if super::deployment_status::complete(&deployment) {
            self.clean_up(&deployment, &sets);
        }
        self.write_status(key, &sets, Some(&new), true)
    }

    /// The Deployment's ReplicaSets, oldest first.
    pub(super) fn sets_of(&self, deployment: &Json) -> Vec<Set> {
        let uid = deployment.text_at(&["metadata", "uid"]);
        let keys = self.store.owned_by(uid).into_iter().filter(|key| &*key.resource == "replicasets");
        let mut sets: Vec<Set> = keys
            .filter_map(|key| self.store.get(&key).cloned().map(|set| (key, set)))
            .filter(|(_, set)| owners(set).iter().any(|(owner, controls)| *controls && owner == uid))
            .collect();
        base::order::sort_by(&mut sets, |a, b| age(a).cmp(&age(b)));
        sets
    }

    /// Finds or makes the ReplicaSet of the present template, with the next revision.
    fn new_set(&mut self, key: &Key, sets: &[Set], recreate: bool) -> Result<Key, Status> {
        let deployment = self.existing(key)?;
        let found = newest_equal(&deployment, sets);
        let others = sets.iter().filter(|(k, _)| found.as_ref().is_none_or(|f| f.0 != *k));
        let revision = others.map(|(_, set)| revision_of(set)).max().unwrap_or(0) + 1;
        let set_key = match found {
            Some((set_key, set)) => {
                let mut changed = set.clone();
                copy_annotations(&deployment, &mut changed, revision.max(revision_of(&set)));
                match deployment.at(&["spec", "minReadySeconds"]) {
                    Some(least) => changed.set(&["spec", "minReadySeconds"], least.clone()),
                    None => {
                        changed.remove(&["spec", "minReadySeconds"]);
                    }
                }
                if changed != set {
                    self.controller_update(&set_key, changed, MANAGER, "")?;
                }
                set_key
            }
            None => self.make_set(&deployment, sets, revision, recreate)?,
        };
        let revision = self.store.get(&set_key).map_or(revision, revision_of);
        let mut changed = self.existing(key)?;
        if changed.text_at(&["metadata", "annotations", REVISION]) != revision.to_string() {
            // Written with the status, so that it makes no new generation.
            changed.set(&["metadata", "annotations", REVISION], Json::str(revision.to_string()));
            self.controller_update(key, changed, MANAGER, "status")?;
        }
        Ok(set_key)
    }

    fn make_set(&mut self, deployment: &Json, sets: &[Set], revision: i64, recreate: bool) -> Result<Key, Status> {
        let name = deployment.text_at(&["metadata", "name"]);
        let namespace = deployment.text_at(&["metadata", "namespace"]);
        let template = deployment.at(&["spec", "template"]).cloned().unwrap_or_default();
        let mark = template_hash(&template, deployment.int_at(&["status", "collisionCount"]).unwrap_or(0));
        let mut template = template;
        template.set(&["metadata", "labels", HASH], Json::str(mark.as_str()));
        let mut selector = deployment.at(&["spec", "selector"]).cloned().unwrap_or_default();
        selector.set(&["matchLabels", HASH], Json::str(mark.as_str()));
        let labels = template.at(&["metadata", "labels"]).cloned().unwrap_or_default();
        let mut set = Json::map([
            (
                "metadata",
                Json::map([
                    ("name", Json::str(format!("{name}-{mark}"))),
                    ("namespace", Json::str(namespace)),
                    ("labels", labels),
                    ("ownerReferences", Json::list([controller_reference(deployment)])),
                ]),
            ),
            ("spec", Json::map([("selector", selector), ("template", template)])),
        ]);
        if let Some(least) = deployment.at(&["spec", "minReadySeconds"]) {
            set.set(&["spec", "minReadySeconds"], least.clone());
        }
        let size = if recreate {
            replicas(deployment)
        } else {
            new_set_size(deployment, sets, &(Key::new("", "", "", ""), set.clone()))
        };
        set.set(&["spec", "replicas"], Json::Int(size));
        copy_annotations(deployment, &mut set, revision);
        let key = Key::new("apps", "replicasets", namespace, &format!("{name}-{mark}"));
        let made = self.controller_create(key.clone(), set)?;
        if size > 0 {
            let message = format!("Scaled up replica set {} from 0 to {size}", key.name);
            self.record(deployment, "deployment-controller", "Normal", "ScalingReplicaSet", &message);
        }
        let deployment_key = Key::new("apps", "deployments", namespace, name);
        self.note_new_set(&deployment_key, made.text_at(&["metadata", "name"]))?;
        Ok(key)
    }

    /// Sets a ReplicaSet's size; true when that changed something.
    fn scale_set(&mut self, deployment: &Json, set: &Set, size: i64) -> Result<bool, Status> {
        let Some(mut changed) = self.store.get(&set.0).cloned() else { return Ok(false) };
        let before = replicas(&changed);
        let (desired, most) = (replicas(deployment), replicas(deployment) + max_surge(deployment));
        let annotated = changed.text_at(&["metadata", "annotations", DESIRED]) == desired.to_string()
            && changed.text_at(&["metadata", "annotations", MAX]) == most.to_string();
        if before == size && annotated {
            return Ok(false);
        }
        changed.set(&["spec", "replicas"], Json::Int(size));
        changed.set(&["metadata", "annotations", DESIRED], Json::str(desired.to_string()));
        changed.set(&["metadata", "annotations", MAX], Json::str(most.to_string()));
        self.controller_update(&set.0, changed, MANAGER, "")?;
        if before != size {
            let word = if size > before { "up" } else { "down" };
            let message = format!("Scaled {word} replica set {} from {before} to {size}", set.0.name);
            self.record(deployment, "deployment-controller", "Normal", "ScalingReplicaSet", &message);
        }
        Ok(before != size)
    }

    /// Takes unhealthy old pods first, then as many healthy ones as availability allows.
    fn scale_down_old(&mut self, deployment: &Json, sets: &[Set], new: &Set) -> Result<bool, Status> {
        let old: Vec<&Set> = sets.iter().filter(|(k, _)| *k != new.0).collect();
        if old.iter().map(|(_, s)| replicas(s)).sum::<i64>() == 0 {
            return Ok(false);
        }
        let all: i64 = sets.iter().map(|(_, s)| replicas(s)).sum();
        let least = replicas(deployment) - max_unavailable(deployment);
        let new_unavailable = replicas(&new.1) - available(&new.1);
        let mut budget = all - least - new_unavailable;
        if budget <= 0 {
            return Ok(false);
        }
        let mut scaled = false;
        let mut sizes: Vec<i64> = old.iter().map(|(_, s)| replicas(s)).collect();
        for (i, set) in old.iter().enumerate() {
            let unhealthy = (sizes[i] - available(&set.1)).max(0).min(budget);
            if unhealthy > 0 {
                sizes[i] -= unhealthy;
                budget -= unhealthy;
                scaled |= self.scale_set(deployment, set, sizes[i])?;
            }
        }
        let mut spare = sets.iter().map(|(_, s)| available(s)).sum::<i64>() - least;
        for (i, set) in old.iter().enumerate() {
            let take = sizes[i].min(spare.max(0));
            if take > 0 {
                sizes[i] -= take;
                spare -= take;
                scaled |= self.scale_set(deployment, set, sizes[i])?;
            }
        }
        Ok(scaled)
    }

    /// Reacts to a changed `replicas`: the one active set follows; during a rollout all follow in proportion.
    fn scale(&mut self, deployment: &Json, sets: &[Set]) -> Result<(), Status> {
        let wanted = replicas(deployment);
        let active: Vec<&Set> = sets.iter().filter(|(_, s)| replicas(s) > 0).collect();
        let new = newest_equal(deployment, sets);
        if active.len() <= 1 {
            let one = active.first().map(|s| (*s).clone()).or(new).or_else(|| sets.last().cloned());
            if let Some(set) = one {
                self.scale_set(deployment, &set, wanted)?;
            }
            return Ok(());
        }
        if let Some(new) = &new
            && replicas(&new.1) == wanted
            && available(&new.1) == wanted
        {
            for set in active.iter().filter(|(k, _)| *k != new.0) {
                self.scale_set(deployment, set, 0)?;
            }
            return Ok(());
        }
        if deployment.text_at(&["spec", "strategy", "type"]) == "Recreate" {
            return Ok(());
        }
        let total: i64 = active.iter().map(|(_, s)| replicas(s)).sum();
        let allowed = if wanted > 0 { wanted + max_surge(deployment) } else { 0 };
        let to_add = allowed - total;
        let mut order: Vec<Set> = active.into_iter().cloned().collect();
        base::order::sort_by(&mut order, |a, b| {
            let newer = if to_add > 0 { age(b).cmp(&age(a)) } else { age(a).cmp(&age(b)) };
            replicas(&b.1).cmp(&replicas(&a.1)).then(newer)
        });
        let mut added = 0;
        let mut sizes = Vec::new();
        for (_, set) in &order {
            let size = replicas(set);
            let mut part = 0;
            if to_add != 0 && added != to_add {
                let annotated = set.text_at(&["metadata", "annotations", MAX]).parse::<i64>().unwrap_or(total).max(1);
                let share = (size as f64 * allowed as f64 / annotated as f64).round() as i64 - size;
                part = if to_add > 0 { share.min(to_add - added).max(0) } else { share.max(to_add - added).min(0) };
            }
            added += part;
            sizes.push(size + part);
        }
        if let Some(first) = sizes.first_mut() {
            *first = (*first + to_add - added).max(0);
        }
        for (set, size) in order.iter().zip(sizes) {
            self.scale_set(deployment, set, size)?;
        }
        Ok(())
    }

    /// Deletes the oldest sets without pods beyond `revisionHistoryLimit`.
    fn clean_up(&mut self, deployment: &Json, sets: &[Set]) {
        let limit = usize::try_from(deployment.int_at(&["spec", "revisionHistoryLimit"]).unwrap_or(i64::MAX));
        let new = newest_equal(deployment, sets);
        let mut old: Vec<&Set> = sets.iter().filter(|(k, _)| new.as_ref().is_none_or(|n| n.0 != *k)).collect();
        old.retain(|(_, s)| s.at(&["metadata", "deletionTimestamp"]).is_none());
        base::order::sort_by_key(&mut old, |(_, s)| revision_of(s));
        let excess = old.len().saturating_sub(limit.unwrap_or(usize::MAX));
        for (key, set) in old.into_iter().take(excess) {
            let empty = replicas(set) == 0 && set.int_at(&["status", "replicas"]).unwrap_or(0) == 0;
            if empty && set.at(&["metadata", "generation"]) == set.at(&["status", "observedGeneration"]) {
                self.begin_delete(key, "Background", None);
            }
        }
    }

    /// Wakes the Deployment again, for its progress deadline.
    pub(super) fn again(&mut self, key: &Key, milliseconds: i64) {
        self.queue.add(self.now + milliseconds, Work::Deployment(key.clone()));
    }
}

fn age(set: &Set) -> (&str, i64, &str) {
    (set.1.text_at(&["metadata", "creationTimestamp"]), revision_of(&set.1), set.1.text_at(&["metadata", "name"]))
}

pub(super) fn replicas(object: &Json) -> i64 {
    object.int_at(&["spec", "replicas"]).unwrap_or(0)
}

pub(super) fn available(object: &Json) -> i64 {
    object.int_at(&["status", "availableReplicas"]).unwrap_or(0)
}

fn revision_of(set: &Json) -> i64 {
    set.text_at(&["metadata", "annotations", REVISION]).parse().unwrap_or(0)
}

/// True when `spec.replicas` is not what the sets were last sized for.
fn scaling(deployment: &Json, sets: &[Set]) -> bool {
    let wanted = replicas(deployment).to_string();
    sets.iter().filter(|(_, s)| replicas(s) > 0).any(|(_, s)| {
        let desired = s.text_at(&["metadata", "annotations", DESIRED]);
        !desired.is_empty() && desired != wanted
    })
}

/// The set whose template is the Deployment's, the hash label aside.
pub(super) fn newest_equal(deployment: &Json, sets: &[Set]) -> Option<Set> {
    let wanted = deployment.at(&["spec", "template"])?;
    let same = |set: &Json| {
        let mut template = set.at(&["spec", "template"]).cloned().unwrap_or_default();
        template.remove(&["metadata", "labels", HASH]);
        let mut wanted = wanted.clone();
        wanted.remove(&["metadata", "labels", HASH]);
        template == wanted
    };
    sets.iter().find(|(_, set)| same(set)).cloned()
}

fn copy_annotations(deployment: &Json, set: &mut Json, revision: i64) {
    for (key, value) in deployment.at(&["metadata", "annotations"]).and_then(Json::as_map).into_iter().flatten() {
        if !NOT_COPIED.contains(&&**key) {
            set.set(&["metadata", "annotations", key], value.clone());
        }
    }
    let wanted = replicas(deployment);
    let before = revision_of(set);
    if before != 0 && before != revision {
        let history = set.text_at(&["metadata", "annotations", "deployment.kubernetes.io/revision-history"]);
        let history = if history.is_empty() { before.to_string() } else { format!("{history},{before}") };
        set.set(&["metadata", "annotations", "deployment.kubernetes.io/revision-history"], Json::str(history));
    }
    set.set(&["metadata", "annotations", REVISION], Json::str(revision.to_string()));
    if before == 0 {
        set.set(&["metadata", "annotations", DESIRED], Json::str(wanted.to_string()));
        set.set(&["metadata", "annotations", MAX], Json::str((wanted + max_surge(deployment)).to_string()));
    }
}

/// A number or a percentage of the replicas, rounded up or down.
fn share(value: Option<&Json>, of: i64, up: bool) -> i64 {
    match value {
        Some(Json::Str(text)) => {
            let percent: i64 = text.trim_end_matches('%').parse().unwrap_or(0);
            let scaled = percent.saturating_mul(of);
            if up { (scaled + 99).div_euclid(100) } else { scaled.div_euclid(100) }
        }
        Some(value) => value.as_int().unwrap_or(0),
        None => 0,
    }
}

pub(super) fn max_surge(deployment: &Json) -> i64 {
    if deployment.text_at(&["spec", "strategy", "type"]) != "RollingUpdate" {
        return 0;
    }
    share(deployment.at(&["spec", "strategy", "rollingUpdate", "maxSurge"]), replicas(deployment), true)
}

pub(super) fn max_unavailable(deployment: &Json) -> i64 {
    let wanted = replicas(deployment);
    if deployment.text_at(&["spec", "strategy", "type"]) != "RollingUpdate" || wanted == 0 {
        return 0;
    }
    let n = share(deployment.at(&["spec", "strategy", "rollingUpdate", "maxUnavailable"]), wanted, false);
    // Both rounded to zero would never move.
    let n = if n == 0 && max_surge(deployment) == 0 { 1 } else { n };
    n.min(wanted)
}

/// How large the new set may be now.
fn new_set_size(deployment: &Json, sets: &[Set], new: &Set) -> i64 {
    let (wanted, have) = (replicas(deployment), replicas(&new.1));
    if have >= wanted {
        return wanted;
    }
    let total: i64 = sets.iter().map(|(_, s)| replicas(s)).sum();
    let room = wanted + max_surge(deployment) - total;
    if room <= 0 { have } else { have + room.min(wanted - have) }
}

/// A hash of the template, spelled as Kubernetes spells it.
pub(super) fn template_hash(template: &Json, collisions: i64) -> String {
    const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
    let n = hash::hash(0, &template.to_text(), HASH, collisions as u64) as u32;
    n.to_string().bytes().map(|digit| char::from(LETTERS[usize::from(digit) % LETTERS.len()])).collect()
}
