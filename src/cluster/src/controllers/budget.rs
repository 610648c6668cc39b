//! The disruption controller: how many pods of a PodDisruptionBudget may go now.

use super::replica_set::ready_since;
use super::{LAG, MANAGER, Work, owners};
use crate::cluster::Cluster;
use crate::selector::Labels;
use crate::status::Status;
use crate::store::{Change, Key};
use base::Json;

impl Cluster {
    /// A pod changed: the budgets that select it count again.
    pub(super) fn notice_budgets(&mut self, change: &Change) {
        let namespace = &*change.key.namespace;
        let all = self.store.list("policy", "poddisruptionbudgets", Some(namespace));
        let keys: Vec<Key> = all.filter(|(_, b)| selector(b).matches(&change.object)).map(|(k, _)| k.clone()).collect();
        for key in keys {
            self.queue.add(self.now + LAG, Work::Budget(key));
        }
    }

    #[inline(never)]
    pub(super) fn sync_budget(&mut self, key: &Key) -> Result<(), Status> {
        let Some(mut budget) = self.store.get(key).cloned() else { return Ok(()) };
        let labels = selector(&budget);
        let alive = |p: &Json| !matches!(p.text_at(&["status", "phase"]), "Succeeded" | "Failed");
        let pods: Vec<Json> = match budget.at(&["spec", "selector"]).is_some() {
            true => {
                let all = self.store.list("", "pods", Some(&key.namespace)).map(|(_, pod)| pod);
                all.filter(|p| labels.matches(p) && alive(p)).cloned().collect()
            }
            false => Vec::new(),
        };
        let healthy = |p: &&Json| ready_since(p).is_some() && p.at(&["metadata", "deletionTimestamp"]).is_none();
        let current = pods.iter().filter(healthy).count() as i64;
        let least = budget.at(&["spec", "minAvailable"]).cloned();
        let most = budget.at(&["spec", "maxUnavailable"]).cloned();
        // A plain minimum counts pods; everything else needs to know how many there should be.
        let plain = least.as_ref().and_then(Json::as_int);
        let expected = if plain.is_some() { pods.len() as i64 } else { self.expected_pods(&pods) };
        let desired = match (plain, &least, &most) {
            (Some(n), _, _) => n,
            (None, Some(share), _) => scaled(share, expected),
            (None, None, Some(share)) => (expected - scaled(share, expected)).max(0),
            (None, None, None) => 0,
        };
        let allowed = if expected > 0 { (current - desired).max(0) } else { 0 };
        let (word, reason) = if allowed > 0 { ("True", "SufficientPods") } else { ("False", "InsufficientPods") };
        let generation = budget.int_at(&["metadata", "generation"]).unwrap_or(1);
        let had = budget.items_at(&["status", "conditions"]).first();
        let since = had.filter(|c| c.text_at(&["status"]) == word).and_then(|c| c.get("lastTransitionTime")).cloned();
        let condition = Json::map([
            ("type", Json::str("DisruptionAllowed")),
            ("status", word.into()),
            ("observedGeneration", Json::Int(generation)),
            ("lastTransitionTime", since.unwrap_or_else(|| Json::str(self.now.rfc3339()))),
            ("reason", reason.into()),
            ("message", "".into()),
        ]);
        let status = Json::map([
            ("observedGeneration", Json::Int(generation)),
            ("disruptionsAllowed", Json::Int(allowed)),
            ("currentHealthy", Json::Int(current)),
            ("desiredHealthy", Json::Int(desired)),
            ("expectedPods", Json::Int(expected)),
            ("conditions", Json::list([condition])),
        ]);
        if budget.get("status") == Some(&status) {
            return Ok(());
        }
        budget.set(&["status"], status);
        self.controller_update(key, budget, MANAGER, "status").map(|_| ())
    }

    /// Replicas of the workloads that control the pods.
    fn expected_pods(&self, pods: &[Json]) -> i64 {
        let mut seen: Vec<String> = Vec::new();
        let mut total = 0;
        for pod in pods {
            let Some((uid, _)) = owners(pod).into_iter().find(|(_, controls)| *controls) else { continue };
            // A Deployment stands behind its ReplicaSets.
            let set = self.store.key_of_uid(&uid).and_then(|key| self.store.get(key));
            let above = set.and_then(|set| owners(set).into_iter().find(|(_, controls)| *controls));
            let uid = above.map_or(uid, |(uid, _)| uid);
            if !seen.contains(&uid) {
                let owner = self.store.key_of_uid(&uid).and_then(|key| self.store.get(key));
                total += owner.and_then(|o| o.int_at(&["spec", "replicas"])).unwrap_or(0);
                seen.push(uid);
            }
        }
        total
    }
}

fn selector(budget: &Json) -> Labels {
    Labels::of(budget.at(&["spec", "selector"]).unwrap_or(&Json::Null))
}

/// A number, or a share of a total rounded up.
fn scaled(value: &Json, total: i64) -> i64 {
    match value {
        Json::Str(text) => {
            let share: i64 = text.trim_end_matches('%').parse().unwrap_or(0);
            (share * total + 99).div_euclid(100)
        }
        value => value.as_int().unwrap_or(0),
    }
}
