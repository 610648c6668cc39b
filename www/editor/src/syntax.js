// YAML with Go template actions in it, as one line-based tokenizer. A full YAML grammar would trip over `{{ … }}`;
// what a person needs while editing a chart is keys, strings, numbers, comments and actions told apart.
import { StreamLanguage, LanguageSupport, indentService } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const KEYWORDS = /^(?:if|else|end|range|with|define|template|block|break|continue|nil|true|false)\b/;

// Inside an action: what Go's text/template lexer would call keyword, field, variable, string, number, function.
function action(stream, state) {
  if (stream.match(/^-?\}\}/)) {
    state.action = false;
    return "brace";
  }
  if (stream.match(/^\/\*/)) {
    state.comment = true;
    return comment(stream, state);
  }
  if (stream.eatSpace()) return null;
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^`[^`]*`?/) || stream.match(/^'(?:[^'\\]|\\.)*'?/)) return "string";
  if (stream.match(/^\$?(?:\.[A-Za-z_][\w]*)+/)) return "field";
  if (stream.match(/^\$[\w]*/)) return "variable";
  if (stream.match(/^-?\d[\w.]*/)) return "number";
  if (stream.match(KEYWORDS)) return "keyword";
  if (stream.match(/^[A-Za-z_]\w*/)) return "function";
  if (stream.match(/^(?::=|[|=().,])/)) return "operator";
  stream.next();
  return null;
}

function comment(stream, state) {
  if (stream.skipTo("*/")) {
    stream.match("*/");
    state.comment = false;
  } else {
    stream.skipToEnd();
  }
  return "comment";
}

const parser = {
  name: "helm",
  startState: () => ({ action: false, comment: false, quote: "", block: -1 }),
  copyState: (s) => ({ ...s }),
  token(stream, state) {
    if (state.comment) return comment(stream, state);
    if (state.action) return action(stream, state);
    if (stream.match(/^\{\{-?/)) {
      state.action = true;
      return "brace";
    }
    if (state.quote) {
      while (!stream.eol() && !stream.match("{{", false)) {
        const c = stream.next();
        if (c === "\\" && state.quote === '"') stream.next();
        else if (c === state.quote) {
          state.quote = "";
          break;
        }
      }
      return "string";
    }
    if (stream.sol()) {
      const indent = stream.indentation();
      if (state.block >= 0 && !/^\s*$/.test(stream.string) && indent <= state.block) state.block = -1;
      if (stream.match(/^(?:---|\.\.\.)(?=\s|$)/)) return "meta";
    }
    if (stream.eatSpace()) return null;
    if (state.block >= 0) {
      while (!stream.eol() && !stream.match("{{", false)) stream.next();
      return "string";
    }
    const before = stream.pos === 0 ? " " : stream.string[stream.pos - 1];
    if (stream.peek() === "#" && /\s/.test(before)) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/^[|>][-+0-9]*(?=\s*(?:#.*)?$)/)) {
      state.block = stream.indentation();
      return "operator";
    }
    if (stream.match(/^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?=\s*:(?:\s|$))/)) return "key";
    if (/\s|[-:,[{]/.test(before) && /["']/.test(stream.peek())) {
      state.quote = stream.next();
      return "string";
    }
    if (stream.match(/^-(?=\s|$)/) || stream.match(/^\?(?=\s)/)) return "operator";
    if (stream.match(/^[&*!][^\s,\]}]+/)) return "meta";
    if (stream.match(/^[\w./$@-]+(?:[ \w./$@-]*[\w./$@-])?(?=\s*:(?:\s|$))/)) return "key";
    if (stream.match(/^[:,[\]{}]/)) return "operator";
    if (stream.match(/^[-+]?(?:0x[\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?=\s*(?:[,\]}#]|$))/)) return "number";
    if (stream.match(/^(?:true|false|null|yes|no|on|off|~)(?=\s*(?:[,\]}#]|$))/i)) return "atom";
    while (!stream.eol() && !/[\s,\]}:]/.test(stream.peek()) && !stream.match("{{", false)) stream.next();
    if (stream.pos === stream.start) stream.next();
    return "text";
  },
  languageData: { commentTokens: { line: "#" } },
  tokenTable: {
    brace: tags.brace,
    key: tags.propertyName,
    field: tags.variableName,
    variable: tags.local(tags.variableName),
    function: tags.function(tags.variableName),
    keyword: tags.keyword,
    atom: tags.atom,
    text: tags.content,
  },
};

// A new line starts where the last one did; deeper after a key or list item that opens a block.
const indent = indentService.of((cx, pos) => {
  const line = cx.lineAt(pos, -1);
  if (line.from === 0 && pos === 0) return 0;
  const above = cx.state.doc.lineAt(Math.max(0, pos - 1));
  const text = above.text.slice(0, Math.max(0, pos - above.from));
  const own = /^ */.exec(text)[0].length;
  return /:\s*(?:[|>][-+\d]*)?$/.test(text.replace(/\{\{.*?\}\}/g, "x")) ? own + 2 : own;
});

export const helm = new LanguageSupport(StreamLanguage.define(parser), [indent]);
