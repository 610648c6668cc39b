//! The editor: a plain text area inside `<tide-editor>`. The text area is the truth and the only thing listened to;
//! the editor bundle, when it has loaded, lays itself over it and writes every change back (see `www/editor`).

use js_sys::{Array, Object, Reflect};
use std::rc::Rc;
use ui_state::{Action, Mark, Problem, Spot};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct EditorProps {
    pub(crate) label: String,
    pub(crate) path: String,
    pub(crate) text: Rc<str>,
    pub(crate) epoch: u64,
    pub(crate) readonly: bool,
    pub(crate) spot: Option<Spot>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) on: Callback<Action>,
}

#[component]
pub(crate) fn Editor(p: &EditorProps) -> Html {
    let host = use_node_ref();
    let area = use_node_ref();

    // Another file, or a text that changed by other than typing.
    use_effect_with((p.path.clone(), p.epoch, p.readonly), {
        let (host, area, text) = (host.clone(), area.clone(), Rc::clone(&p.text));
        move |(path, _, readonly)| {
            if let Some(area) = area.cast::<HtmlTextAreaElement>()
                && area.value() != *text
            {
                area.set_value(&text);
            }
            let doc = object(&[("path", path.into()), ("text", (&*text).into()), ("readonly", (*readonly).into())]);
            set(&host, "doc", &doc);
        }
    });
    use_effect_with((p.path.clone(), p.epoch, p.problems.clone()), {
        let host = host.clone();
        move |(_, _, problems)| {
            let list: Array = problems
                .iter()
                .map(|x| {
                    object(&[
                        ("from", x.from.into()),
                        ("to", x.to.into()),
                        ("severity", x.severity.into()),
                        ("message", x.message.as_str().into()),
                    ])
                })
                .collect();
            set(&host, "problems", &list);
        }
    });
    use_effect_with((p.path.clone(), p.epoch, p.marks.clone()), {
        let host = host.clone();
        move |(_, _, marks)| {
            let list: Array = marks
                .iter()
                .map(|m| object(&[("line", m.line.into()), ("kind", m.kind.into()), ("note", m.note.as_str().into())]))
                .collect();
            set(&host, "marks", &list);
        }
    });
    use_effect_with(p.spot.clone(), {
        let host = host.clone();
        move |spot| {
            if let Some(spot) = spot {
                set(&host, "spot", &object(&[("line", spot.line.into()), ("col", spot.col.into())]));
            }
        }
    });

    let oninput = {
        let on = p.on.clone();
        Callback::from(move |e: InputEvent| {
            if let Some(area) = e.target().and_then(|t| t.dyn_into::<HtmlTextAreaElement>().ok()) {
                on.emit(Action::Typed(area.value()));
            }
        })
    };
    html! {
        <tide-editor ref={host} class="editor-host" data-testid="editor" data-path={p.path.clone()}>
            <textarea ref={area} data-testid="editor-text" class="plain" aria-label={p.label.clone()} spellcheck="false"
                autocapitalize="off" autocomplete="off" wrap="off" readonly={p.readonly} {oninput} />
        </tide-editor>
    }
}

fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let out = Object::new();
    for (name, value) in fields {
        // Setting a property of a fresh object cannot fail.
        let _ = Reflect::set(&out, &JsValue::from_str(name), value);
    }
    out.into()
}

/// Sets a property of the element, whether or not the bundle has upgraded it: it takes over early ones.
fn set(host: &NodeRef, name: &str, value: &JsValue) {
    if let Some(node) = host.get() {
        let _ = Reflect::set(&node, &JsValue::from_str(name), value);
    }
}
