// Marks on whole lines: this line decides a value (win), this line was overridden (lose), each with a short note at
// the end of the line such as "= 3 · valuesObject".
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";

export const setMarks = StateEffect.define();

class Note extends WidgetType {
  constructor(text) {
    super();
    this.text = text;
  }
  eq(other) {
    return other.text === this.text;
  }
  toDOM() {
    const span = document.createElement("span");
    span.className = "tide-note";
    span.textContent = this.text;
    return span;
  }
}

// `marks`: [{line (from 1), kind: "win" | "lose" | "", note}]. Lines that no longer exist are left out.
function decorations(marks, doc) {
  const out = [];
  for (const m of marks) {
    if (!(m.line >= 1 && m.line <= doc.lines)) continue;
    const line = doc.line(m.line);
    if (m.kind) out.push(Decoration.line({ class: "tide-" + m.kind }).range(line.from));
    if (m.note) out.push(Decoration.widget({ widget: new Note(m.note), side: 1 }).range(line.to));
  }
  return Decoration.set(out, true);
}

export const marksField = StateField.define({
  create: () => Decoration.none,
  update(value, tr) {
    value = value.map(tr.changes);
    for (const e of tr.effects) if (e.is(setMarks)) value = decorations(e.value, tr.state.doc);
    return value;
  },
  provide: (f) => EditorView.decorations.from(f),
});
