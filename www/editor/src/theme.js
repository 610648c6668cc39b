// The editor's look: colours come from the page's custom properties, which a shadow root inherits, so the light and
// dark switch needs no work here.
import { EditorView } from "@codemirror/view";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { tags as t } from "@lezer/highlight";

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)", font: "var(--mono)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { font: "var(--mono)", overflow: "auto" },
  ".cm-content": { caretColor: "var(--accent)", padding: "8px 0" },
  ".cm-line": { padding: "0 10px 0 6px" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--faint)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 8px 0 6px", minWidth: "34px" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--text)" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--hover)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-selectionBackground": { backgroundColor: "var(--select) !important" },
  ".cm-line.tide-win": { backgroundColor: "var(--win-bg)", boxShadow: "inset 3px 0 var(--win)" },
  ".cm-line.tide-lose": { boxShadow: "inset 3px 0 var(--lose)" },
  ".cm-line.tide-lose > *": { opacity: ".72" },
  ".tide-note": { float: "right", font: "11.5px/1.75 var(--sans)", color: "var(--win)", paddingLeft: "14px", userSelect: "none" },
  ".tide-lose .tide-note": { color: "var(--muted)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--degraded) 1px", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--missing) 1px", textUnderlineOffset: "3px" },
  ".cm-lintRange-info": { backgroundImage: "none", textDecoration: "underline dotted var(--progressing) 1px", textUnderlineOffset: "3px" },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0 0 0 3px" },
  ".cm-lint-marker": { content: "none", width: "8px", height: "8px", borderRadius: "9px", marginTop: "6px" },
  ".cm-lint-marker-error": { backgroundColor: "var(--degraded)" },
  ".cm-lint-marker-warning": { backgroundColor: "var(--missing)" },
  ".cm-lint-marker-info": { backgroundColor: "var(--progressing)" },
  ".cm-tooltip": { backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)", borderRadius: "6px", color: "var(--text)", boxShadow: "0 6px 20px #0003", maxWidth: "560px" },
  ".cm-diagnostic": { font: "12px/1.5 var(--sans)", padding: "5px 10px", whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--degraded)" },
  ".cm-diagnostic-warning": { borderLeft: "3px solid var(--missing)" },
  ".cm-matchingBracket": { backgroundColor: "var(--accent-soft)" },
});

const colours = HighlightStyle.define([
  { tag: t.propertyName, color: "var(--k)" },
  { tag: t.string, color: "var(--s)" },
  { tag: [t.number, t.atom, t.bool], color: "var(--n)" },
  { tag: t.comment, color: "var(--c)", fontStyle: "italic" },
  { tag: t.brace, color: "var(--t)", opacity: ".75" },
  { tag: [t.variableName, t.local(t.variableName)], color: "var(--t)" },
  { tag: t.function(t.variableName), color: "var(--t)", fontWeight: "600" },
  { tag: t.keyword, color: "var(--k)", fontWeight: "600" },
  { tag: [t.meta, t.operator], color: "var(--muted)" },
]);

export const theme = [look, syntaxHighlighting(colours)];
