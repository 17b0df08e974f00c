// One document: every version it had, what changed between two of them, and its stored text.

import { get, part } from "./api.js";
import { clean, empty, failed, h, hash, loading, locator, mark } from "./dom.js";
import { ago, bytes, count, full, plural } from "./format.js";
import { passageText } from "./passage.js";

export async function show(room, [collection, document_], params, { signal }) {
  const base = `/api/sources/${part(collection)}/${part(document_)}`;
  const here = `#/sources/${part(collection)}/${part(document_)}`;
  const told = await get(base, {}, signal);
  document.title = `${told.title.slice(0, 60)} · Research`;
  const body = h("section", { aria: { label: "Text" } }, loading());
  const different = told.versions.filter((each, at, all) => all.findIndex((other) => other.version === each.version) === at);
  room.replaceChildren(
    h("header", { class: "task-head" },
      h("p", { class: "crumb" }, h("a", { href: "#/sources", data: { up: "" } }, "← Sources")),
      h("h1", {}, told.title || told.locator),
      h("p", { class: "fine" }, locator(told.locator), ` · ${told.collection}`),
      told.held ? "" : h("p", { class: "notice" }, "This document was removed. Its versions stay, because researches may cite them.")),
    h("div", { class: "paper" },
      body,
      h("aside", { class: "beside", aria: { label: "Versions" } },
        told.website ? website(told.website) : "",
        h("section", { class: "card" }, h("h2", {}, "Versions", h("span", { class: "tallied" }, String(told.versions.length))),
          h("ol", { class: "versions" }, told.versions.map((each, at) => version(each, at, told.versions, here, params)))),
        leftBehind(told))));

  const wanted = params.from ? get(`${base}/changes`, { from: params.from, to: params.to }, signal)
    : get(`${base}/text`, { version: params.version, start: params.start, end: params.end }, signal);
  try {
    const found = await wanted;
    body.replaceChildren(...(params.from ? changes(found) : text(found, base, params, signal)));
    body.querySelector("mark")?.scrollIntoView({ block: "center" });
  } catch (failure) {
    if (!signal.aborted) body.replaceChildren(failed(failure));
  }
  if (!different.length) body.replaceChildren(empty("No text", "Nothing is stored of this document."));
}

function text(found, base, params, signal) {
  const whole = h("div", {}, passageText(found));
  let asking = false;
  const more = h("button", {
    type: "button",
    on: {
      click: async () => {
        // A second click before the answer would bring the same part again.
        if (asking) return;
        asking = true;
        try {
          const next = await get(`${base}/text`, { version: params.version, start: found.last }, signal);
          whole.append(passageText(next));
          found.last = next.last;
          if (found.last >= found.characters) more.remove();
        } catch (failure) {
          if (!signal.aborted) whole.append(failed(failure));
        } finally {
          asking = false;
        }
      },
    },
  }, "Show more");
  return [
    h("p", { class: "fine" }, found.excerpt ? `Characters ${count(found.start)} to ${count(found.end)} are marked, of ` : "",
      `${count(found.characters)} characters · text `, hash(found.version.text_hash, "hash of the text")),
    whole, found.last < found.characters ? more : "",
  ];
}

function changes(found) {
  if (!found.lines.length) return [empty("The same words", "These two versions differ in bytes, not in the text that was read out of them.")];
  return [
    h("p", { class: "fine" }, `${plural(found.added, "line")} came, ${plural(found.removed, "line")} went. `, found.cut ? "Only the beginning is compared." : ""),
    h("div", { class: "diff", tabindex: "0", role: "region", aria: { label: "Changes" } }, found.lines.map((line) => {
      const sign = { added: "+", removed: "−", same: " ", place: "" }[line.op];
      const label = { added: "Added: ", removed: "Removed: " }[line.op];
      return h("div", { class: line.op }, h("span", { class: "sign", aria: { hidden: "true" } }, sign), label && h("span", { class: "unseen" }, label), h("span", {}, clean(line.text)));
    })),
  ];
}

function version(each, at, all, here, params) {
  const older = all.slice(at + 1).find((other) => other.version !== each.version);
  const shown = params.version ? params.version === each.version : at === 0 && !params.from;
  return h("li", { data: { row: "" } },
    h("p", {}, h("a", { href: `${here}?version=${part(each.version)}`, aria: shown ? { current: "true" } : {} }, at === 0 && !each.ended_at ? "Current" : "Earlier"), " ",
      h("time", { datetime: each.published_at, title: full(each.published_at) }, ago(each.published_at))),
    h("p", { class: "fine" }, hash(each.version, "hash of the version"), ` ${bytes(each.bytes)} · ${plural(each.chunks, "chunk")}`,
      each.ended_at ? ` · until ${full(each.ended_at)}` : ""),
    older ? h("p", {}, h("a", { href: `${here}?from=${part(older.version)}&to=${part(each.version)}` }, "What changed")) : "");
}

function website(site) {
  return h("section", { class: "card" }, h("h2", {}, "On the web"),
    h("p", { class: "marks" }, site.phase === "failed" ? mark(false, "", "Could not be fetched") : mark(site.phase === "completed" || null, "Fetched", "", site.phase),
      site.is_stale ? mark(null, "", "", "Not looked at for a month") : ""),
    site.fetched_at && h("p", { class: "fine" }, `Last seen ${ago(site.fetched_at)}`, site.outcome ? `, ${site.outcome}` : ""),
    site.error && h("p", { class: "fine" }, site.error));
}

function leftBehind(told) {
  if (!told.website) return "";
  return h("section", { class: "card" }, h("h2", {}, "Citations left behind", told.left_behind.length ? h("span", { class: "tallied" }, String(told.left_behind.length)) : ""),
    told.left_behind.length
      ? h("ul", { class: "plain" }, told.left_behind.map((each) => h("li", {},
        h("blockquote", {}, each.quote),
        h("p", { class: "fine" }, h("a", { href: `#/tasks/${part(each.task_id)}/report` }, `Citation ${each.citation}`), " · ", hash(each.version, "hash of the version that is cited")))))
      : h("p", { class: "fine" }, "Whatever was cited of earlier versions still stands on the page."));
}
