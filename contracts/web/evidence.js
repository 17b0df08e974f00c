// What a research found and what that rests on: report, citations, sentences, gaps, confidence.

import { get, part } from "./api.js";
import { columns, copy, h, hash, loading, locator, mark } from "./dom.js";
import { flowing } from "./flow.js";
import { count, percent, plural, words } from "./format.js";
import { checked, openCitation } from "./passage.js";
import { reportNodes } from "./report.js";

export function reportTab(task, told, checks) {
  const known = new Map();
  const verdicts = { known, told: checks };
  const cite = (number) => citeMark(task, number, told.citations, verdicts);
  const seal = h("div", { class: "verdict" }, loading("Verifying every citation…"));
  checks.then((result) => {
    for (const each of result.citations || []) known.set(each.number, each);
    seal.replaceChildren(verdict(result, told));
    for (const node of document.querySelectorAll("#main .cite")) trust(node, known.get(Number(node.dataset.number)));
  });
  return [h("div", { class: "paper" },
    h("article", { class: "report" },
      told.partial && h("p", { class: "notice" }, "This research ended before it was done. What follows is what it had by then."),
      reportNodes(told.report, cite),
      told.report_cut && h("p", { class: "notice" }, "The report goes on; copy it, or save it with research-agent save, to read the rest."),
      h("p", { class: "fine colophon" }, `${plural(told.words, "word")} · report `, hash(told.report_hash, "hash of the report"), " ", copier(task))),
    h("aside", { class: "beside", aria: { label: "What the report rests on" } },
      seal, confidence(told), sourcesCard(task, told, verdicts),
      listCard("Gaps", told.gaps, (gap) => [h("strong", {}, gap.topic), h("span", { class: "fine" }, ` ${words(gap.category)}`), h("p", {}, gap.detail)],
        "None that a researcher noticed."),
      listCard("Open questions", told.open_questions, (each) => [h("strong", {}, each.question), h("span", { class: "fine" }, ` ${each.priority} priority`), h("p", {}, each.context)],
        "None."),
      listCard("Discoveries", told.discovery_events, (each) => [h("strong", {}, each.query), h("span", { class: "fine" }, ` ${words(each.type)}`), h("p", {}, each.reason),
        each.source_locator && h("p", { class: "fine" }, locator(each.source_locator))], "None."),
    ))];
}

function copier(task) {
  return h("button", {
    type: "button", class: "quiet",
    on: {
      click: async (event) => {
        const by = event.currentTarget;
        try {
          await copy((await get(`/api/tasks/${part(task)}/markdown`)).markdown, by);
        } catch (failure) {
          by.textContent = failure.message;
        }
      },
    },
  }, "Copy as Markdown");
}

function citeMark(task, number, all, verdicts) {
  const button = h("button", {
    type: "button", class: "cite", data: { number: String(number) }, aria: { label: `Citation ${number}: show the excerpt` },
    on: { click: () => openCitation(task, number, all, verdicts) },
  }, String(number));
  trust(button, verdicts.known.get(number));
  return button;
}

function holds(check) {
  return check.source_read && check.bytes_present && check.hash_equal && check.excerpt_verbatim;
}

function trust(button, check) {
  if (!check) return;
  button.dataset.holds = String(holds(check));
  button.title = check.detail;
}

function verdict(result, told) {
  if (result.failure) {
    return h("section", { class: "card" }, h("h2", {}, "Verification"), h("p", { class: "marks" }, mark(null, "", "", "Not verified")), h("p", { class: "fine" }, result.failure.message));
  }
  const broken = result.record.proven ? "" : unproven(result.record.faults);
  if (!told.citations.length) {
    return h("section", { class: broken ? "card verified bad" : "card verified" }, h("h2", {}, "Verification"), h("p", { class: "big" }, mark(null, "", "", "Nothing is cited")),
      h("p", { class: "fine" }, "There is nothing to look for in a source."), broken);
  }
  const good = result.citations.filter(holds).length;
  // Of a record that cannot be read no citation can be checked.
  const all = Math.max(result.citations.length, told.citations.length);
  const sentences = result.sentences || [];
  const supported = sentences.filter((each) => each.outcome === "supported").length;
  return h("section", { class: `card verified ${result.verified ? "good" : "bad"}` },
    h("h2", {}, "Verification"),
    h("p", { class: "big" }, mark(good === all, "Every citation holds", "Not every citation holds")),
    h("p", { class: "fine" }, `${good} of ${plural(all, "citation")} found verbatim in the stored source, just now.`),
    sentences.length ? h("p", { class: "fine" }, `${supported} of ${plural(sentences.length, "sentence")} supported by what they cite.`) : "",
    broken);
}

/** What is wrong with the record itself; citations may hold all the same. */
function unproven([first, ...more]) {
  return [h("p", { class: "marks" }, mark(false, "", "The record is not proven")),
    h("p", { class: "fine" }, first, more.length ? `, and ${plural(more.length, "more fault")}` : "")];
}

const FACTORS = {
  num_corroborating_sources: ["Independent sources behind each part", count],
  source_authority: ["Authority of the sources", words],
  contradiction_detected: ["Contradiction found", (value) => (value ? "Yes" : "No")],
  query_specificity_match: ["Share of the question covered", percent],
  budget_exhausted: ["Budget exhausted", (value) => (value ? "Yes" : "No")],
  recency: ["Recency", (value) => (value ? words(value) : "Unknown")],
};

function confidence(told) {
  if (typeof told.confidence !== "number") return "";
  const factors = told.confidence_factors || {};
  return h("section", { class: "card" },
    h("h2", {}, "Confidence"),
    h("p", { class: "big" }, h("span", { class: "figure" }, told.confidence.toFixed(2)),
      h("meter", { min: 0, max: 1, value: told.confidence, aria: { label: "Confidence" } })),
    h("dl", { class: "factors" }, Object.entries(FACTORS).filter(([name]) => name in factors)
      .map(([name, [label, say]]) => h("div", {}, h("dt", {}, label), h("dd", {}, say(factors[name]))))));
}

function sourcesCard(task, told, verdicts) {
  return h("section", { class: "card" }, h("h2", {}, "Sources"),
    told.citations.length
      ? h("ol", { class: "cited" }, [...bySource(told.citations)].map(([address, cited]) => h("li", { data: { row: "" } },
        h("strong", {}, cited[0].title || address),
        h("p", { class: "fine" }, locator(address)),
        h("p", {}, cited.map((each) => citeMark(task, each.number, told.citations, verdicts))))))
      : h("p", { class: "fine" }, "Nothing is cited."));
}

function bySource(citations) {
  const found = new Map();
  for (const each of citations) found.set(each.locator, [...(found.get(each.locator) || []), each]);
  return found;
}

function listCard(title, rows, draw, none) {
  return h("section", { class: "card" }, h("h2", {}, title, rows.length ? h("span", { class: "tallied" }, String(rows.length)) : ""),
    rows.length ? h("ul", { class: "plain" }, rows.map((row) => h("li", {}, draw(row)))) : h("p", { class: "fine" }, none));
}

export function evidence(task, told, checks) {
  const known = new Map();
  const verdicts = { known, told: checks };
  const rows = new Map(told.citations.map((each) => [each.number, h("div", {}, h("p", { class: "fine" }, "Verifying…"))]));
  const said = h("div", {}, loading("Verifying every sentence…"));
  checks.then((result) => {
    for (const each of result.citations || []) known.set(each.number, each);
    for (const [number, node] of rows) node.replaceChildren(checked(known.get(number), result.failure));
    for (const node of document.querySelectorAll("#main .cite")) trust(node, known.get(Number(node.dataset.number)));
    said.replaceChildren(sentences(result, task, told, verdicts));
  });
  return [
    h("h2", {}, "Citations"),
    told.citations.length ? h("ol", { class: "citations" }, told.citations.map((each) => h("li", { class: "card", data: { row: "" } },
      h("header", {}, citeMark(task, each.number, told.citations, verdicts), h("strong", {}, each.title || each.locator),
        h("span", { class: "fine" }, `trust ${Number(each.confidence ?? 0).toFixed(2)}`)),
      columns(each), h("blockquote", {}, flowing(each.raw_excerpt)),
      rows.get(each.number),
      h("p", { class: "fine" }, locator(each.locator), " · ", hash(each.content_hash, "hash of the original"),
        ` · characters ${count(each.start)} to ${count(each.end)}`))))
      : h("p", { class: "fine" }, "Nothing is cited."),
    h("h2", {}, "Sentences"), said,
  ];
}

const OUTCOMES = { supported: [true, "Supported"], not_supported: [false, "Goes beyond its sources"], inference: [null, "Inference: cites nothing"] };

function sentences(result, task, told, verdicts) {
  if (result.failure) return h("p", { class: "fine" }, result.failure.message);
  if (!result.sentences.length) return h("p", { class: "fine" }, "This report does not say which sentence rests on which citation.");
  return h("ol", { class: "sentences" }, result.sentences.map((each) => {
    const [good, label] = OUTCOMES[each.outcome];
    return h("li", {}, h("p", {}, each.text, " ", each.citations.map((number) => citeMark(task, number, told.citations, verdicts))),
      h("p", { class: "marks" }, mark(good, label, label, label), each.citations.length ? h("span", { class: "fine" }, percent(each.support)) : ""));
  }));
}
