// The keyboard: lists without a mouse, and a card that says which keys there are.

import { h } from "./dom.js";

const CARD = [
  ["/", "Go to the search or filter field"],
  ["j  k", "Next and previous in a list"],
  ["Enter", "Open what is chosen"],
  ["1 … 5", "Parts of a task"],
  ["u", "Up, back to the list"],
  ["←  →", "Previous and next citation"],
  ["g t", "Go to tasks"],
  ["g s", "Go to search"],
  ["g o", "Go to sources"],
  ["g a", "Go to audit"],
  ["d", "Change the colours"],
  ["Ctrl ⏎", "Send a question or SQL"],
  ["Esc", "Close, or leave a field"],
  ["?", "This card"],
];

export function typing(target) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

export function moveInList(step) {
  const rows = [...document.querySelectorAll("#main [data-row]")].filter((row) => row.offsetParent !== null);
  if (!rows.length) return;
  const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
  const next = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step))];
  const target = next.matches("a, button, summary, [tabindex]") ? next : next.querySelector("a, button, summary");
  target?.focus();
  next.scrollIntoView({ block: "nearest" });
}

export function openKeys() {
  const card = document.getElementById("keys");
  card.replaceChildren(
    h("header", {},
      h("h2", { id: "keys-title" }, "Keys"),
      h("button", { type: "button", class: "quiet", on: { click: () => card.close() } }, "Close")),
    h("dl", {}, CARD.map(([key, words]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, words)))),
  );
  card.showModal();
}
