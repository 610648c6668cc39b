//! Generators of ApplicationSets: each gives sets of parameters, one for every Application to make.

use crate::repo::{RepoError, RepoServer, Repositories};
use crate::source::path_fits;
use base::{Json, SortedMap, Time};
use std::rc::Rc;

/// Sets of parameters that one ApplicationSet may give.
const LIMIT: usize = 5000;
/// Generators within generators.
const DEPTH: usize = 4;

/// Where generators look.
pub(crate) struct Sight<'a> {
    pub(crate) repo: &'a mut RepoServer,
    pub(crate) repositories: &'a dyn Repositories,
    pub(crate) now: Time,
    /// `goTemplate: true`: parameters keep their structure instead of being flattened to dotted names.
    pub(crate) structured: bool,
}

impl Sight<'_> {
    /// The parameters of a list of generators, one after the other.
    pub(crate) fn all(&mut self, generators: &[Json]) -> Result<Vec<Json>, String> {
        let mut out = Vec::new();
        for generator in generators {
            out.extend(self.one(generator, 0)?);
        }
        if out.len() > LIMIT {
            return Err(format!("more than {LIMIT} sets of parameters are not simulated"));
        }
        Ok(out)
    }

    fn one(&mut self, generator: &Json, depth: usize) -> Result<Vec<Json>, String> {
        if depth > DEPTH {
            return Err("generators within generators are not simulated this deep".into());
        }
        let mut found = if let Some(list) = generator.get("list") {
            self.list(list)?
        } else if let Some(git) = generator.get("git") {
            self.git(git)?
        } else if let Some(clusters) = generator.get("clusters") {
            self.clusters(clusters)
        } else if let Some(matrix) = generator.get("matrix") {
            self.matrix(matrix, depth)?
        } else if let Some(merge) = generator.get("merge") {
            self.merge(merge, depth)?
        } else {
            let name = generator.as_map().and_then(|m| m.keys().next().cloned()).unwrap_or_default();
            return Err(format!("generator {name} is not simulated yet"));
        };
        if let Some(labels) = generator.at(&["selector", "matchLabels"]).and_then(Json::as_map) {
            found.retain(|p| labels.iter().all(|(key, value)| lookup(p, key).as_ref() == Some(value)));
        }
        Ok(found)
    }

    fn list(&self, list: &Json) -> Result<Vec<Json>, String> {
        let mut out: Vec<Json> = Vec::new();
        for element in list.items_at(&["elements"]) {
            if self.structured {
                out.push(element.clone());
                continue;
            }
            let mut flat = Json::Map(Rc::default());
            for (key, value) in element.as_map().into_iter().flatten() {
                match value {
                    Json::Map(inner) if &**key == "values" => {
                        for (name, value) in inner.iter() {
                            let text = value.as_str().ok_or("error parsing value as string")?;
                            flat.set(&[&format!("values.{name}")], text.into());
                        }
                    }
                    Json::Str(_) => flat.set(&[key], value.clone()),
                    _ => return Err(format!("error parsing value as string for key {key}")),
                }
            }
            out.push(flat);
        }
        Ok(out)
    }

    fn clusters(&self, clusters: &Json) -> Vec<Json> {
        // The one cluster is the local one, which has no Secret and so no labels.
        if clusters.at(&["selector", "matchLabels"]).is_some() {
            return Vec::new();
        }
        let mut found = Json::map([
            ("name", Json::from("in-cluster")),
            ("nameNormalized", "in-cluster".into()),
            ("server", crate::application::IN_CLUSTER.into()),
        ]);
        self.values(clusters, &mut found);
        vec![found]
    }

    /// The generator's own `values`.
    fn values(&self, generator: &Json, params: &mut Json) {
        for (key, value) in generator.get("values").and_then(Json::as_map).into_iter().flatten() {
            if self.structured {
                params.set(&["values", key], value.clone());
            } else {
                params.set(&[&format!("values.{key}")], value.clone());
            }
        }
    }

    fn git(&mut self, git: &Json) -> Result<Vec<Json>, String> {
        let url = git.text_at(&["repoURL"]);
        let wrapped = |e: RepoError| format!("error generating params from git: {e}");
        let commit = self.repo.resolve(self.repositories, url, git.text_at(&["revision"]), self.now, false);
        let commit = commit.map_err(wrapped)?;
        let files = self.repositories.repository(url).zip(git::Oid::parse(&commit));
        let files = files.map(|(repository, oid)| repository.files(oid)).unwrap_or_default();
        let prefix = git.text_at(&["pathParamPrefix"]);
        let mut out = Vec::new();
        if git.get("directories").is_some() {
            for folder in folders(&files) {
                if chosen(git.items_at(&["directories"]), &folder) {
                    let mut params = Json::Map(Rc::default());
                    self.path(&mut params, &folder, None, prefix);
                    self.values(git, &mut params);
                    out.push(params);
                }
            }
            return Ok(out);
        }
        for (path, bytes) in files.iter().filter(|(path, _)| chosen(git.items_at(&["files"]), path)) {
            let content =
                yaml::to_json(bytes).map_err(|e| format!("unable to process file '{path}': {}", e.converting()))?;
            let all = match content {
                Json::List(items) => items.to_vec(),
                one => vec![one],
            };
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            for object in all {
                let mut params = Json::Map(Rc::default());
                if self.structured {
                    params = object;
                } else {
                    flatten(&object, "", &mut params, 0);
                }
                self.path(&mut params, folder, Some(name), prefix);
                self.values(git, &mut params);
                out.push(params);
            }
        }
        Ok(out)
    }

    /// What a path offers: itself, its last part, its parts.
    fn path(&self, params: &mut Json, folder: &str, file: Option<&str>, prefix: &str) {
        let base = folder.rsplit('/').next().unwrap_or(folder);
        let mut facts = vec![("path", folder.to_string()), ("basename", base.to_string())];
        facts.push(("basenameNormalized", normalized(base)));
        if let Some(file) = file {
            facts.push(("filename", file.to_string()));
            facts.push(("filenameNormalized", normalized(file)));
        }
        let parts: Vec<&str> = folder.split('/').collect();
        if self.structured {
            let mut path = Json::map(facts.into_iter().map(|(key, text)| (key, Json::str(text))));
            path.set(&["segments"], Json::list(parts.into_iter().map(Json::from)));
            let at: &[&str] = if prefix.is_empty() { &["path"] } else { &[prefix, "path"] };
            params.set(at, path);
            return;
        }
        let name = if prefix.is_empty() { "path".to_string() } else { format!("{prefix}.path") };
        for (key, text) in facts {
            let key = if key == "path" { name.clone() } else { format!("{name}.{key}") };
            params.set(&[&key], Json::str(text));
        }
        for (i, part) in parts.into_iter().enumerate() {
            params.set(&[&format!("{name}[{i}]")], part.into());
        }
    }

    fn matrix(&mut self, matrix: &Json, depth: usize) -> Result<Vec<Json>, String> {
        let [first, second] = matrix.items_at(&["generators"]) else {
            return Err("matrix generator requires exactly two generators".into());
        };
        let mut out = Vec::new();
        for outer in self.one(first, depth + 1)? {
            // The second generator may use what the first one gives.
            let second = render(second, &outer, self.structured, true)?;
            for inner in self.one(&second, depth + 1)? {
                out.push(crate::patch::merged(&inner, &outer));
                if out.len() > LIMIT {
                    return Err(format!("more than {LIMIT} sets of parameters are not simulated"));
                }
            }
        }
        Ok(out)
    }

    fn merge(&mut self, merge: &Json, depth: usize) -> Result<Vec<Json>, String> {
        let keys: Vec<&str> = merge.items_at(&["mergeKeys"]).iter().filter_map(Json::as_str).collect();
        let mut out: Vec<Json> = Vec::new();
        for (i, generator) in merge.items_at(&["generators"]).iter().enumerate() {
            for params in self.one(generator, depth + 1)? {
                if i == 0 {
                    out.push(params);
                    continue;
                }
                let same = |one: &Json| keys.iter().all(|key| lookup(one, key) == lookup(&params, key));
                if let Some(one) = out.iter_mut().find(|one| same(one)) {
                    *one = crate::patch::merged(one, &params);
                }
            }
        }
        Ok(out)
    }
}

/// The value of a dotted name, which may also be one key.
fn lookup(params: &Json, name: &str) -> Option<Json> {
    let parts: Vec<&str> = name.split('.').collect();
    params.get(name).or_else(|| params.at(&parts)).cloned()
}

fn flatten(value: &Json, name: &str, out: &mut Json, depth: usize) {
    match value {
        Json::Map(entries) if depth < 64 => {
            for (key, inner) in entries.iter() {
                let name = if name.is_empty() { key.to_string() } else { format!("{name}.{key}") };
                flatten(inner, &name, out, depth + 1);
            }
        }
        Json::List(items) if depth < 64 => {
            for (i, inner) in items.iter().enumerate() {
                flatten(inner, &format!("{name}.{i}"), out, depth + 1);
            }
        }
        Json::Str(text) => out.set(&[name], Json::Str(text.clone())),
        other => out.set(&[name], Json::str(other.to_raw_text())),
    }
}

/// A name that DNS allows: lower case, dashes for all else.
fn normalized(text: &str) -> String {
    let lower = text.to_lowercase();
    let plain: String = lower.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' }).collect();
    plain.trim_matches('-').to_string()
}

/// Every folder that holds a file, parents before children; hidden ones are left out.
fn folders(files: &git::Files) -> Vec<String> {
    let mut found: SortedMap<String, ()> = SortedMap::new();
    for (path, _) in files.iter() {
        let mut at = &**path;
        while let Some((folder, _)) = at.rsplit_once('/') {
            if !folder.split('/').any(|part| part.starts_with('.')) {
                found.insert(folder.to_string(), ());
            }
            at = folder;
        }
    }
    found.keys().cloned().collect()
}

/// Whether a list of patterns with exclusions takes a path.
fn chosen(patterns: &[Json], path: &str) -> bool {
    let (mut any, mut out) = (false, false);
    for pattern in patterns.iter().filter(|p| path_fits(p.text_at(&["path"]), path)) {
        match pattern.get("exclude").and_then(Json::as_bool) {
            Some(true) => out = true,
            _ => any = true,
        }
    }
    any && !out
}

/// Every text of a template with its parameters put in. The error has the words of Argo CD or Go.
pub(crate) fn render(template: &Json, params: &Json, structured: bool, strict: bool) -> Result<Json, String> {
    let go = |text: &str| {
        if !text.contains("{{") {
            return Ok(text.to_string());
        }
        if structured {
            return helm::plain::text(text, params, strict)
                .map_err(|e| format!("failed to execute go template {text}: {e}"));
        }
        Ok(put_in(text, params))
    };
    walk(template, &go, 0)
}

fn walk(value: &Json, go: &dyn Fn(&str) -> Result<String, String>, depth: usize) -> Result<Json, String> {
    Ok(match value {
        Json::Str(text) => Json::str(go(text)?),
        Json::List(items) if depth < 128 => {
            let items: Result<Vec<Json>, String> = items.iter().map(|item| walk(item, go, depth + 1)).collect();
            Json::list(items?)
        }
        Json::Map(entries) if depth < 128 => {
            let mut out = Json::Map(Rc::default());
            for (key, item) in entries.iter() {
                out.set(&[&go(key)?], walk(item, go, depth + 1)?);
            }
            out
        }
        other => other.clone(),
    })
}

/// `{{name}}` replaced; names that are not there stay as they are.
fn put_in(text: &str, params: &Json) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, inside, after)) =
        rest.split_once("{{").and_then(|(b, r)| r.split_once("}}").map(|(i, a)| (b, i, a)))
    {
        out.push_str(before);
        match params.get(inside.trim()).and_then(Json::as_str) {
            Some(value) => out.push_str(value),
            None => out.push_str(&format!("{{{{{inside}}}}}")),
        }
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_stay_and_folders_are_found() {
        let params = Json::map([("path", Json::from("apps/a")), ("path.basename", "a".into())]);
        assert_eq!(put_in("x-{{ path.basename }}-{{nope}}", &params), "x-a-{{nope}}");
        let files: git::Files = [("apps/a/x.yaml", ""), ("apps/skip/y.yaml", ""), (".git/z", ""), ("top.yaml", "")]
            .map(|(path, text)| (Rc::from(path), Rc::from(text.as_bytes())))
            .into_iter()
            .collect();
        assert_eq!(folders(&files), ["apps", "apps/a", "apps/skip"]);
        let patterns = Json::parse(r#"[{"path":"apps/*"},{"path":"apps/skip","exclude":true}]"#).unwrap_or_default();
        let patterns = patterns.as_list().unwrap_or(&[]);
        let taken: Vec<String> = folders(&files).into_iter().filter(|f| chosen(patterns, f)).collect();
        assert_eq!(taken, ["apps/a"]);
        assert_eq!(normalized("My_App.1"), "my-app-1");
    }
}
