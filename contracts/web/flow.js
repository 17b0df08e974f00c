// Text whose lines flow. Many sources are wrapped at a width of their own; on another screen their breaks only tear sentences.
// Nothing of the text is changed: such a break stays where it is, in a span that is shown as a blank.

import { h } from "./dom.js";

/** A line that begins a list, a table, a quotation, a heading, a rule, an entry of a log, or is indented like code. */
const STRUCTURE = /^(?: {4}|\t|\s*(?:[-*+•·‣–—]\s|\(?(?:\d{1,3}|[A-Za-z])[.)]\s|[|>#]|```|~~~|[-=*_]{3,}\s*$|\[?\d{4}-\d\d-\d\d[T ]\d\d:))/;
const HEADING = /^\s{0,3}#/;
const WIDE = /[\u1100-\u115f\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/;
const CHINESE_OR_JAPANESE = /[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60]/;
const PROGRAM = /[{};\\]\s*$/;
/** What parts the columns of a table that is set with blanks or tabs. */
const COLUMNS = /\S(?: {3,}|\t)\S/;
/** Columns that a text is wrapped at, at the least; shorter lines are those of verse, of addresses, of lists. */
const NARROWEST = 50;
/** How many of the lines must be as long as half of the longest; people wrap unevenly. */
const MOST = 0.75;

/** The text as strings and spans; `at` is the part of it that is wanted. */
export function flowing(text, at = [0, text.length]) {
  const made = [];
  let from = at[0];
  for (const [start, end, blank] of breaks(text)) {
    if (start < from || end > at[1]) continue;
    made.push(text.slice(from, start), h("span", { class: blank ? "flow" : "flow closed" }, text.slice(start, end)));
    from = end;
  }
  return [...made, text.slice(from, at[1])];
}

/** Where lines were broken only to fit: [start, end, whether a blank stands for it]. */
function breaks(text) {
  const lines = [];
  let start = 0;
  for (const line of text.split("\n")) {
    lines.push({ line, start });
    start += line.length + 1;
  }
  const found = [];
  let first = 0;
  for (let next = 1; next <= lines.length; next += 1) {
    const parted = next === lines.length || !lines[next].line.trim() || !lines[next - 1].line.trim()
      || STRUCTURE.test(lines[next].line) || HEADING.test(lines[next - 1].line);
    if (!parted) continue;
    if (isWrapped(lines.slice(first, next).map((each) => each.line), first === 0)) {
      for (let at = first; at < next - 1; at += 1) found.push(joint(lines[at], lines[at + 1]));
    }
    first = next;
  }
  return found;
}

/** Whether lines are those of a paragraph that was wrapped. The first line of a text may have begun anywhere. */
function isWrapped(lines, cut) {
  const widths = lines.map(width);
  const widest = Math.max(...widths);
  if (widest < NARROWEST || lines.some((line) => PROGRAM.test(line) || COLUMNS.test(line))) return false;
  const long = widths.slice(0, -1).map((each) => each >= widest / 2);
  if (cut && !long[0] && (long.length > 1 || /^\s*\p{Ll}/u.test(lines[1]))) long.shift();
  return long.filter(Boolean).length >= MOST * long.length;
}

function joint(line, next) {
  const kept = line.line.trimEnd();
  const indent = next.line.length - next.line.trimStart().length;
  const closed = CHINESE_OR_JAPANESE.test(kept.slice(-1)) && CHINESE_OR_JAPANESE.test(next.line.trimStart().slice(0, 1));
  return [line.start + kept.length, next.start + indent, !closed];
}

function width(line) {
  let columns = 0;
  for (const letter of line.trim()) columns += WIDE.test(letter) ? 2 : 1;
  return columns;
}
