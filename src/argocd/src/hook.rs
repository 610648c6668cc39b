//! Hooks: which objects are hooks, in which phases they run, and when they are deleted.

use base::Json;

/// A phase of a sync, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SyncPhase {
    /// Before anything is applied.
    PreSync,
    /// The resources themselves.
    Sync,
    /// After all resources are healthy.
    PostSync,
    /// After a failure.
    SyncFail,
}

impl SyncPhase {
    /// The word that Argo CD writes.
    pub fn text(self) -> &'static str {
        match self {
            SyncPhase::PreSync => "PreSync",
            SyncPhase::Sync => "Sync",
            SyncPhase::PostSync => "PostSync",
            SyncPhase::SyncFail => "SyncFail",
        }
    }

    /// Reads that word.
    pub fn read(text: &str) -> Option<SyncPhase> {
        use SyncPhase::{PostSync, PreSync, Sync, SyncFail};
        [PreSync, Sync, PostSync, SyncFail].into_iter().find(|p| p.text() == text)
    }
}

/// When a hook is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeletePolicy {
    /// Before it is created again; the default.
    BeforeHookCreation,
    /// When the whole sync succeeded.
    HookSucceeded,
    /// When the whole sync failed.
    HookFailed,
}

/// Annotation of Argo CD's own hooks.
pub const HOOK_ANNOTATION: &str = "argocd.argoproj.io/hook";
const HELM_HOOK: &str = "helm.sh/hook";

/// The tokens of a comma-separated annotation: trimmed, without empty ones.
pub fn tokens<'a>(object: &'a Json, key: &str) -> Vec<&'a str> {
    let text = object.at(&["metadata", "annotations", key]).and_then(Json::as_str).unwrap_or("");
    text.split(',').map(str::trim).filter(|t| !t.is_empty()).collect()
}

/// True when the exact token stands in the object's `argocd.argoproj.io/sync-options`.
pub fn has_option(object: &Json, option: &str) -> bool {
    tokens(object, "argocd.argoproj.io/sync-options").contains(&option)
}

/// The phases in which an object runs as a hook, sorted; empty for objects that are no hooks and for hooks that never
/// run (`helm test`, misspelled types, `Skip`). One valid Argo CD type switches the Helm types off.
pub fn phases(object: &Json) -> Vec<SyncPhase> {
    let own = tokens(object, HOOK_ANNOTATION);
    let known = own.iter().any(|t| SyncPhase::read(t).is_some() || *t == "Skip");
    let mut found: Vec<SyncPhase> = if known {
        own.iter().filter_map(|t| SyncPhase::read(t)).collect()
    } else {
        let helm = |t: &&str| match *t {
            "pre-install" | "pre-upgrade" => Some(SyncPhase::PreSync),
            "post-install" | "post-upgrade" => Some(SyncPhase::PostSync),
            _ => None,
        };
        tokens(object, HELM_HOOK).iter().filter_map(helm).collect()
    };
    base::order::sort(&mut found);
    found.dedup();
    found
}

/// True for an object whose only hook type is `Skip`: shown and compared, never applied.
pub fn is_skip(object: &Json) -> bool {
    let own = tokens(object, HOOK_ANNOTATION);
    own.contains(&"Skip") && !own.iter().any(|t| SyncPhase::read(t).is_some())
}

/// True when an object is a hook (also one that never runs). A chart's `crd-install` objects are ordinary resources.
pub fn is_hook(object: &Json) -> bool {
    let annotation = |key: &str| object.at(&["metadata", "annotations", key]).and_then(Json::as_str);
    if annotation(HOOK_ANNOTATION).is_some() {
        return !is_skip(object);
    }
    annotation(HELM_HOOK).is_some_and(|value| value != "crd-install")
}

/// True for a hook of the Application's own deletion, which a sync leaves out.
pub fn is_deletion_hook(object: &Json) -> bool {
    tokens(object, HOOK_ANNOTATION).iter().any(|t| matches!(*t, "PreDelete" | "PostDelete"))
        || tokens(object, HELM_HOOK).iter().any(|t| matches!(*t, "pre-delete" | "post-delete"))
}

/// True for a hook of one kind of the Application's own deletion: `PreDelete` or `PostDelete`.
pub fn runs_at_deletion(object: &Json, kind: &str) -> bool {
    let helm = if kind == "PreDelete" { "pre-delete" } else { "post-delete" };
    tokens(object, HOOK_ANNOTATION).contains(&kind) || tokens(object, HELM_HOOK).contains(&helm)
}

/// True for a hook that never runs and is left out of the targets altogether.
pub fn is_ignored(object: &Json) -> bool {
    is_hook(object) && phases(object).is_empty()
}

/// A hook's delete policies; `BeforeHookCreation` when none is given.
pub fn delete_policies(object: &Json) -> Vec<DeletePolicy> {
    let mut found: Vec<DeletePolicy> = tokens(object, "argocd.argoproj.io/hook-delete-policy")
        .iter()
        .filter_map(|t| match *t {
            "BeforeHookCreation" => Some(DeletePolicy::BeforeHookCreation),
            "HookSucceeded" => Some(DeletePolicy::HookSucceeded),
            "HookFailed" => Some(DeletePolicy::HookFailed),
            _ => None,
        })
        .chain(tokens(object, "helm.sh/hook-delete-policy").iter().filter_map(|t| match *t {
            "before-hook-creation" => Some(DeletePolicy::BeforeHookCreation),
            "hook-succeeded" => Some(DeletePolicy::HookSucceeded),
            "hook-failed" => Some(DeletePolicy::HookFailed),
            _ => None,
        }))
        .collect();
    base::order::sort(&mut found);
    found.dedup();
    if found.is_empty() { vec![DeletePolicy::BeforeHookCreation] } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(key: &str, value: &str) -> Json {
        let mut o = Json::Null;
        o.set(&["metadata", "annotations", key], value.into());
        o
    }

    #[test]
    fn hook_types() {
        use SyncPhase::{PostSync, PreSync};
        assert_eq!(phases(&with(HELM_HOOK, "pre-install,pre-upgrade,post-install")), [PreSync, PostSync]);
        assert_eq!(phases(&with(HOOK_ANNOTATION, "Skip,PreSync")), [PreSync]);
        assert!(is_skip(&with(HOOK_ANNOTATION, "Skip")) && !is_hook(&with(HOOK_ANNOTATION, "Skip")));
        assert!(is_ignored(&with(HELM_HOOK, "test")) && is_ignored(&with(HOOK_ANNOTATION, "presync")));
        assert!(!is_hook(&with(HELM_HOOK, "crd-install")));
        assert!(is_deletion_hook(&with(HELM_HOOK, "post-delete")));
    }

    #[test]
    fn the_default_policy_deletes_before_creation() {
        assert_eq!(delete_policies(&Json::Null), [DeletePolicy::BeforeHookCreation]);
        let both = with("argocd.argoproj.io/hook-delete-policy", "HookSucceeded, HookFailed");
        assert_eq!(delete_policies(&both), [DeletePolicy::HookSucceeded, DeletePolicy::HookFailed]);
    }
}
