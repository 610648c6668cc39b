// <tide-editor>: CodeMirror 6 in a shadow root over a plain <textarea>.
//
// The textarea is the element's light child and holds the truth: the page listens to its `input` events only. Until
// this script has run the textarea itself is what the person types into; when the element is upgraded the editor
// starts from the textarea's text and selection and from then on writes every change back to it. Should the editor
// fail to start, the textarea stays. So nothing that was typed can be lost in the swap.
//
// Properties: `doc` {path, text, readonly}: shows a file, keeping undo history and cursor per path.
//             `problems` [{from, to, severity, message}]: UTF-16 offsets.
//             `marks` [{line, kind, note}].
//             `spot` {line, col}: moves the cursor there and scrolls it into view.
// Event: `tide-ready`, when the editor has taken over from the textarea.
import { EditorState, Compartment } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, highlightActiveLine, highlightActiveLineGutter, drawSelection, dropCursor } from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { helm } from "./syntax.js";
import { theme } from "./theme.js";
import { marksField, setMarks } from "./marks.js";

const PROPERTIES = ["doc", "problems", "marks", "spot", "label"];

class TideEditor extends HTMLElement {
  #view = null;
  #states = new Map();
  #path = null;
  #silent = false;
  #locked = new Compartment();

  connectedCallback() {
    if (this.#view) return;
    // Values that the page set before this class existed are own properties; take them over.
    const early = new Map();
    for (const name of PROPERTIES) {
      if (Object.hasOwn(this, name)) {
        early.set(name, this[name]);
        delete this[name];
      }
    }
    const area = this.#area();
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    try {
      const host = document.createElement("div");
      host.className = "tide-host";
      root.append(host);
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(":host{display:block;height:100%;min-height:0}.tide-host{height:100%}");
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
      const typed = area?.value ?? "";
      const doc = early.get("doc");
      this.#path = doc?.path ?? null;
      const state = this.#state(typed, doc?.readonly ?? false, area?.selectionStart ?? 0);
      this.#view = new EditorView({ state, parent: host, root });
      if (area && document.activeElement === area) this.#view.focus();
      this.#label();
    } catch (error) {
      this.#view = null;
      root.replaceChildren(document.createElement("slot"));
      console.error("editor: falling back to the text area", error);
      return;
    }
    for (const name of ["problems", "marks", "spot"]) if (early.has(name)) this[name] = early.get(name);
    this.dispatchEvent(new CustomEvent("tide-ready", { bubbles: true }));
  }

  #area() {
    return this.querySelector("textarea");
  }

  #label() {
    const label = this.#area()?.getAttribute("aria-label");
    if (label) this.#view.contentDOM.setAttribute("aria-label", label);
  }

  #state(text, readonly, cursor = 0) {
    return EditorState.create({
      doc: text,
      selection: { anchor: Math.min(cursor, text.replace(/\r\n?/g, "\n").length) },
      extensions: [
        lineNumbers(), lintGutter(), history(), drawSelection(), dropCursor(), bracketMatching(),
        highlightActiveLine(), highlightActiveLineGutter(), indentUnit.of("  "), EditorState.tabSize.of(2),
        helm, theme, marksField,
        // Tab indents; Escape then Tab leaves the editor, for keyboard users.
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        this.#locked.of([EditorState.readOnly.of(readonly)]),
        EditorView.contentAttributes.of({ spellcheck: "false", autocorrect: "off", autocapitalize: "off" }),
        EditorView.updateListener.of((u) => this.#changed(u)),
      ],
    });
  }

  #changed(update) {
    if (update.docChanged && !this.#silent) {
      const area = this.#area();
      if (area) {
        area.value = update.state.doc.toString();
        area.dispatchEvent(new InputEvent("input", { bubbles: true }));
      }
    }
  }

  get doc() {
    return { path: this.#path, text: this.#view?.state.doc.toString() ?? this.#area()?.value ?? "" };
  }

  set doc({ path, text, readonly = false }) {
    const view = this.#view;
    if (!view) return;
    text = text.replace(/\r\n?/g, "\n");
    this.#silent = true;
    try {
      if (path !== this.#path) {
        if (this.#path !== null) this.#states.set(this.#path, view.state);
        this.#path = path;
        view.setState(this.#states.get(path) ?? this.#state(text, readonly));
        this.#label();
      }
      const now = view.state.doc.toString();
      if (now !== text) view.dispatch({ changes: difference(now, text) });
      view.dispatch({ effects: this.#locked.reconfigure([EditorState.readOnly.of(readonly)]) });
    } finally {
      this.#silent = false;
    }
  }

  set problems(list) {
    const view = this.#view;
    if (!view) return;
    const end = view.state.doc.length;
    const clamp = (n) => Math.max(0, Math.min(end, n | 0));
    const found = list.map((p) => ({ from: clamp(p.from), to: Math.max(clamp(p.from), clamp(p.to)), severity: p.severity, message: p.message }));
    view.dispatch(setDiagnostics(view.state, found));
  }

  set marks(list) {
    this.#view?.dispatch({ effects: setMarks.of(list) });
  }

  set spot({ line, col = 1 }) {
    const view = this.#view;
    if (!view) return;
    const at = view.state.doc.line(Math.max(1, Math.min(view.state.doc.lines, line | 0)));
    const pos = Math.min(at.to, at.from + Math.max(0, (col | 0) - 1));
    view.dispatch({ selection: { anchor: pos }, effects: EditorView.scrollIntoView(pos, { y: "center" }) });
    view.focus();
  }

  focus() {
    if (this.#view) this.#view.focus();
    else this.#area()?.focus();
  }
}

// The one stretch in which two texts differ, so that the cursor and marks outside of it stay.
function difference(from, to) {
  let start = 0;
  const short = Math.min(from.length, to.length);
  while (start < short && from[start] === to[start]) start++;
  let tail = 0;
  while (tail < short - start && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail++;
  return { from: start, to: from.length - tail, insert: to.slice(start, to.length - tail) };
}

customElements.define("tide-editor", TideEditor);
