// What is held: every document, with how many versions it had and how its page stands.

import { get, part } from "./api.js";
import { empty, h, mark } from "./dom.js";
import { ago, bytes, full, plural, words } from "./format.js";

const PAGE = 50;
let choosing = false;

export async function show(room, place, params, { signal }) {
  document.title = "Sources · Research";
  const offset = Number(params.offset || 0) || 0;
  const told = await get("/api/sources", { collection: params.collection, q: params.q, offset, limit: PAGE }, signal);
  const address = (more) => `#/sources?${new URLSearchParams({ collection: params.collection || "", q: params.q || "", ...more })}`;
  const go = () => { location.hash = address({ q: field.value.trim(), collection: shelf.value }); };
  const field = h("input", { type: "search", id: "filter", value: params.q || "", maxlength: 200, placeholder: "Filter by title or address", data: { focus: "" } });
  const shelf = h("select", { id: "shelf", on: { change: () => { choosing = true; go(); } } },
    h("option", { value: "" }, "All collections"),
    told.collections.map((each) => h("option", { value: each.collection, selected: each.collection === params.collection }, `${each.collection} (${each.documents})`)));
  room.replaceChildren(
    h("header", { class: "head" }, h("div", {}, h("h1", {}, "Sources"), h("p", { class: "tally" }, `${plural(told.total, "document")} held`))),
    h("form", { class: "ask", role: "search", on: { submit: (event) => { event.preventDefault(); go(); } } },
      h("label", { for: "filter", class: "unseen" }, "Filter"), field,
      h("label", { for: "shelf", class: "unseen" }, "Collection"), shelf,
      h("button", { type: "submit" }, "Filter")),
    told.sources.length
      ? h("ol", { class: "rows sources", aria: { label: "Documents" } }, told.sources.map(row))
      : empty(params.q || params.collection ? "Nothing like that is held" : "Nothing is held yet", "Bring documents in:", h("pre", {}, "research-agent ingest PATH")),
    h("div", { class: "below pager" },
      offset > 0 ? h("a", { href: address({ offset: Math.max(0, offset - PAGE) }) }, "← Newer") : "",
      told.next_offset ? h("a", { href: address({ offset: told.next_offset }) }, "Older →") : ""));
  // Whoever goes through the collections by the keyboard stays there.
  if (choosing) shelf.focus();
  choosing = false;
}

function row(each) {
  return h("li", {}, h("a", { href: `#/sources/${part(each.collection)}/${part(each.document)}`, data: { row: "" } },
    h("span", { class: "cell what" }, h("span", { class: "title" }, each.title || each.locator), h("span", { class: "meta" }, each.locator)),
    h("span", { class: "cell drift" }, drift(each)),
    h("span", { class: "cell side" },
      h("span", {}, each.collection),
      h("span", { class: "meta" }, `${each.media_type} · ${bytes(each.bytes)} · ${plural(each.chunks, "chunk")} · `,
        h("time", { datetime: each.published_at, title: full(each.published_at) }, ago(each.published_at))))));
}

export function drift(each) {
  const site = each.website;
  const versions = each.version_count > 1 ? h("span", { class: "badge warn" }, plural(each.version_count, "version")) : h("span", { class: "badge idle" }, "1 version");
  if (!site) return versions;
  const state = site.phase === "failed" ? mark(false, "", "Could not be fetched")
    : site.phase !== "completed" ? mark(null, "", "", words(site.phase))
      : site.is_stale ? mark(null, "", "", "Not looked at for a month") : mark(true, "Fetched", "");
  return [versions, state];
}
