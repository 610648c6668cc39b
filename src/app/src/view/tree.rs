//! The resource tree: Application, what it applies, and what controllers made of that.

use super::status::badge;
use protocol::{NodeView, ObjectView, TreeView};
use std::collections::BTreeMap;
use ui_state::{Action, Lang, Shared, ago, texts};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct TreeProps {
    pub(crate) lang: Lang,
    pub(crate) trees: Shared<Vec<TreeView>>,
    /// The Application on show; all of them when empty.
    pub(crate) app: String,
    pub(crate) now: u64,
    pub(crate) on: Callback<Action>,
}

#[component]
pub(crate) fn TreePane(p: &TreeProps) -> Html {
    let t = texts(p.lang);
    if p.trees.is_empty() {
        return html! { <div class="scroll"><p class="empty">{ t.tree_empty }</p></div> };
    }
    html! {
        <div class="scroll">
            { for p.trees.iter().filter(|tree| p.app.is_empty() || tree.app == p.app).map(|tree| html! {
                <ul class="res" role="tree" aria-label={tree.app.clone()} key={tree.app.clone()} data-testid="tree">{ nodes(p, tree) }</ul>
            }) }
        </div>
    }
}

/// Rows in the worker's order, where every parent stands before its children, moved under their parents.
fn nodes(p: &TreeProps, tree: &TreeView) -> Html {
    let mut below: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, n) in tree.nodes.iter().enumerate() {
        below.entry(&n.parent).or_default().push(i);
    }
    let mut rows = Vec::new();
    let mut todo: Vec<(usize, usize)> = below.get("").into_iter().flatten().rev().map(|i| (*i, 0)).collect();
    while let Some((i, depth)) = todo.pop() {
        let Some(n) = tree.nodes.get(i) else { continue };
        rows.push(node(p, n, depth));
        if rows.len() > tree.nodes.len() {
            break;
        }
        todo.extend(below.get(n.id.as_str()).into_iter().flatten().rev().map(|c| (*c, depth + 1)));
    }
    rows.into_iter().collect()
}

fn node(p: &TreeProps, n: &NodeView, depth: usize) -> Html {
    let object = ObjectView {
        group: n.group.clone(),
        kind: n.kind.clone(),
        namespace: n.namespace.clone(),
        name: n.name.clone(),
    };
    html! {
        <li key={n.id.clone()} role="treeitem" aria-level={(depth + 1).to_string()} class={format!("d{}", depth.min(8))}
            data-testid={format!("node-{}-{}", n.kind, n.name)} data-kind={n.kind.clone()}>
            <span class="kind">{ &n.kind }</span><button class="link strong clip" onclick={p.on.reform(move |_| Action::ShowObject(object.clone()))}>{ &n.name }</button>
            { if n.health.is_empty() { html! {} } else { badge(&n.health, "node-health") } }
            { if n.sync.is_empty() { html! {} } else { badge(&n.sync, "node-sync") } }
            <span class="lead">{ &n.info }</span><span class="lead">{ ago(p.now.saturating_sub(n.created)) }</span>
        </li>
    }
}
