// The drawer: a cited excerpt in its place in the stored source, with what was checked of it.

import { get } from "./api.js";
import { clean, failed, h, hash, loading, locator, mark } from "./dom.js";
import { flowing } from "./flow.js";
import { count, percent } from "./format.js";

const drawer = document.getElementById("drawer");

/** `verdicts`: what is known of each citation, and the promise of what is not known yet. */
export async function openCitation(task, number, all, verdicts) {
  const at = all.findIndex((each) => each.number === number);
  const title = h("h2", { id: "drawer-title" }, `Citation ${number}`);
  const body = h("div", { class: "drawer-body" }, loading("Opening the source…"));
  const step = (by, words, key) => {
    const next = all[at + by];
    return h("button", {
      type: "button", class: "quiet", disabled: !next, data: { key }, aria: { keyshortcuts: key },
      on: { click: () => openCitation(task, next.number, all, verdicts) },
    }, words);
  };
  const held = drawer.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  drawer.replaceChildren(
    h("header", {}, title,
      h("div", { class: "row" }, step(-1, "Previous", "ArrowLeft"), step(1, "Next", "ArrowRight"),
        h("button", { type: "button", class: "quiet", on: { click: () => drawer.close() } }, "Close"))),
    body,
  );
  if (!drawer.open) drawer.showModal();
  // Whoever goes on by the keyboard stays at the button that was pressed; at the last one, at its neighbour.
  else (drawer.querySelector(`[data-key="${held}"]:enabled`) || drawer.querySelector("header button:enabled")).focus();
  try {
    const place = await get(`/api/tasks/${encodeURIComponent(task)}/citations/${number}`);
    body.replaceChildren(...shown(place, judged(number, verdicts)));
    const stored = body.querySelector(".stored");
    const lit = stored.querySelector("mark");
    stored.scrollTop = Math.max(0, (lit?.offsetTop || 0) - stored.clientHeight / 3);
  } catch (failure) {
    body.replaceChildren(failed(failure));
  }
}

function judged(number, { known, told }) {
  const node = h("div", {}, known.has(number) ? checked(known.get(number)) : h("p", { class: "fine" }, "Verifying…"));
  if (!known.has(number)) told.then((result) => node.replaceChildren(checked(known.get(number), result.failure)));
  return node;
}

function shown(place, verdict) {
  const cited = place.citation;
  return [
    h("p", { class: "source-title" }, cited.title || cited.locator),
    h("p", { class: "fine" }, locator(cited.locator)),
    verdict,
    h("dl", { class: "facts" },
      pair("Original", hash(cited.content_hash, "hash of the original")),
      pair("Text", hash(cited.text_hash, "hash of the text")),
      pair("Place", `characters ${count(place.start)} to ${count(place.end)} of ${count(place.characters)}`)),
    passageText(place, flowing),
  ];
}

export function checked(check, failure) {
  if (!check) return h("p", { class: "marks" }, mark(null, "", "", `Not verified: ${failure?.message || "this research has no final result"}`));
  return h("div", {},
    h("p", { class: "marks" },
      mark(check.excerpt_verbatim, "Verbatim", "Not verbatim"),
      mark(check.hash_equal, "Hash equal", "Hash differs"),
      mark(check.bytes_present, "Source kept", "Source missing"),
      mark(check.source_read, "Read in this task", "Not read in this task"),
      check.claim_supported === null
        ? mark(null, "", "", "No sentence cites it")
        : mark(check.claim_supported, `Supports its sentences (${percent(check.support)})`,
          `Sentence goes beyond it (${percent(check.support)})`)),
    check.detail && h("p", { class: "fine" }, check.detail));
}

/** Stored text with the excerpt marked; text only, whatever the source was. `laid` lays its lines out. */
export function passageText(place, laid = (text, [from, to]) => text.slice(from, to)) {
  const whole = clean(place.before + place.excerpt + place.after);
  const from = place.before.length;
  const to = from + place.excerpt.length;
  return h("div", { class: "stored", tabindex: "0", role: "region", aria: { label: "Stored text of the source" } },
    place.first > 0 && h("span", { class: "cut" }, "… "),
    laid(whole, [0, from]),
    place.excerpt && h("mark", {}, laid(whole, [from, to])),
    laid(whole, [to, whole.length]),
    place.last < place.characters && h("span", { class: "cut" }, " …"));
}

export function pair(name, value) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value));
}

drawer.addEventListener("keydown", (event) => {
  // In the text these keys scroll.
  if (!/^Arrow(Left|Right)$/.test(event.key) || event.altKey || event.ctrlKey || event.metaKey || event.target.closest(".stored")) return;
  const button = drawer.querySelector(`[data-key="${event.key}"]:enabled`);
  button?.focus();
  button?.click();
});
drawer.addEventListener("click", (event) => {
  if (event.target === drawer) drawer.close();
});
