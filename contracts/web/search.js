// Search over the corpus, with what each stage thought of every passage.

import { get, part, post } from "./api.js";
import { columns, empty, failed, h, hash, loading, locator, say } from "./dom.js";
import { flowing } from "./flow.js";
import { count, plural, words } from "./format.js";

const STAGES = {
  lexical: ["Words", "how well the question's own words are met (BM25)"],
  dense: ["Meaning", "how near the passage is in meaning (cosine)"],
  late: ["Part by part", "how near its best parts come to the question's (mean cosine)"],
  named: ["Named", "how surely the question, or a first answer to it, names the document"],
  fused: ["Together", "all of them on one scale; this gives the order"],
};
const DECIDES = { lexical: "words", dense: "meaning", late: "the comparison part by part", named: "its name", fused: "all together" };

export async function show(room, place, params, { signal }) {
  document.title = "Search · Research";
  const found = h("div", { class: "found" });
  const field = h("input", {
    type: "search", id: "q", name: "q", value: params.q || "", maxlength: 8000, autocomplete: "off",
    placeholder: "A few words or a whole question", data: { focus: "" },
  });
  const shelf = h("select", { id: "shelf", name: "collections" }, h("option", { value: "" }, "All collections"));
  const limit = h("select", { id: "limit", name: "limit" }, [5, 10, 20, 50].map((number) =>
    h("option", { value: number, selected: String(number) === (params.limit || "10") }, `${number} passages`)));
  const form = h("form", {
    class: "ask", role: "search",
    on: {
      submit: (event) => {
        event.preventDefault();
        const query = new URLSearchParams({ q: field.value.trim(), collections: shelf.value, limit: limit.value });
        const next = `#/search?${query}`;
        if (location.hash === next) run();
        else location.hash = next;
      },
    },
  },
  h("label", { for: "q", class: "unseen" }, "Search the corpus"), field,
  h("label", { for: "shelf", class: "unseen" }, "Collection"), shelf,
  h("label", { for: "limit", class: "unseen" }, "How many"), limit,
  h("button", { type: "submit", class: "primary" }, "Search"));
  room.replaceChildren(h("header", { class: "head" }, h("div", {}, h("h1", {}, "Search"), h("p", { class: "tally" }, "Every passage says why it stands where it does."))), form, found);

  const sources = () => get("/api/sources", { limit: 1 }, signal);
  // An answer that was cut off when somebody left says nothing of what is held.
  const holding = (told) => told.then(({ collections }) => !collections || collections.some((each) => each.documents), () => true);
  const shelves = sources();
  let asked = 0;
  async function run() {
    const turn = ++asked;
    found.replaceChildren(loading("Searching…"));
    try {
      const told = await post("/api/search", { q: params.q, collections: params.collections || "", limit: Number(params.limit || 10) }, signal);
      // What was asked since is what somebody waits for.
      const lacking = !told.results.length && !(await holding(sources()));
      if (turn !== asked) return;
      found.replaceChildren(...(lacking ? [bare()] : shown(told)));
      say(plural(told.results.length, "passage"));
    } catch (failure) {
      if (!signal.aborted && turn === asked) found.replaceChildren(failed(failure, run));
    }
  }

  if (params.q) run();
  else {
    found.replaceChildren(empty("Ask the corpus", "Passages come back with their exact place, and each stage's rank and score."));
    field.focus();
  }
  shelves.then((told) => {
    shelf.append(...told.collections.map((each) =>
      h("option", { value: each.collection, selected: each.collection === params.collections }, `${each.collection} (${each.documents})`)));
  }).catch(() => {});
  holding(shelves).then((any) => {
    if (!params.q && !any) found.replaceChildren(bare());
  });
  return {
    keep(_, next) {
      if (!next.q) return false;
      params = next;
      field.value = next.q;
      shelf.value = next.collections || "";
      limit.value = next.limit || "10";
      run();
      return true;
    },
  };
}

function bare() {
  return empty("The corpus is empty", "Bring documents in first:", h("pre", {}, "research-agent ingest PATH"));
}

function shown(told) {
  const advice = told.query_refinement;
  const head = h("p", { class: "fine" },
    `${plural(told.results.length, "passage")} in ${count(told.took_ms)} ms from ${told.searched.collections.join(", ") || "no collection"} · record ${told.searched.record.seq} `,
    hash(told.searched.record.head, "hash of the record's end"));
  if (!told.results.length) {
    return [empty("Nothing was found", advice.message.replace(/^Nothing was found\. /, ""), suggestions(advice))];
  }
  return [
    head,
    advice.status !== "clear" && advice.suggestions.length ? h("div", { class: "notice" }, h("p", {}, advice.message), suggestions(advice)) : "",
    h("ol", { class: "results" }, told.results.map((each, at) => result(each, at + 1))),
  ];
}

function suggestions(advice) {
  return h("p", { class: "chips" }, advice.suggestions.map((each) => h("a", { href: `#/search?q=${part(each)}` }, each)));
}

function result(each, rank) {
  const { place, metadata } = each;
  const address = `#/sources/${part(metadata.collection)}/${part(metadata.document_id)}?version=${part(place.version)}&start=${place.start}&end=${place.end}`;
  return h("li", { class: "card result", data: { row: "" } },
    h("header", {},
      h("span", { class: "rank" }, String(rank)),
      h("div", {}, h("a", { href: address, class: "result-title" }, metadata.document_title || each.source_document),
        h("p", { class: "fine" }, [metadata.collection, each.header_path].filter(Boolean).join(" · "))),
      h("span", { class: "relevance" }, h("span", { class: "figure" }, each.relevance_score.toFixed(2)), h("span", { class: "fine" }, words(each.relevance_label)))),
    h("div", { class: "result-body" }, h("div", {}, columns(each), h("p", { class: "content" }, flowing(each.content))), explained(each)),
    h("p", { class: "fine" }, locator(place.locator), " · ", hash(place.version, "hash of the version"),
      ` · characters ${place.start} to ${place.end}`, place.first_page ? ` · page ${place.first_page}` : ""));
}

function explained(each) {
  const rows = Object.entries(each.stages).map(([name, stage]) => {
    const [label, meaning] = STAGES[name] || [words(name), ""];
    const decided = name === each.decided_by;
    return h("tr", { class: decided ? "decided" : "", data: { stage: name } },
      h("th", { scope: "row", title: meaning }, label, decided && h("span", { class: "tag" }, "decided")),
      h("td", { class: "num" }, `#${stage.rank}`), h("td", { class: "num" }, stage.score.toFixed(3)), h("td", {}, stage.scale));
  });
  return h("details", { class: "why", open: true },
    h("summary", {}, "Why it stands here", h("span", { class: "fine" }, ` mostly by ${DECIDES[each.decided_by] || each.decided_by}`)),
    h("table", { class: "stages" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Stage"), h("th", { scope: "col", class: "num" }, "Rank"), h("th", { scope: "col", class: "num" }, "Score"), h("th", { scope: "col" }, "Scale"))),
      h("tbody", {}, rows)));
}
