// SQL over every trace: a prompt, the questions that have names, a table and a chart.

import { get, post } from "./api.js";
import { copy, empty, failed, h, loading, say } from "./dom.js";
import { draw, plan } from "./chart.js";
import { count, plural } from "./format.js";

export async function show(room, place, params, { signal }) {
  document.title = "Audit · Research";
  const known = await get("/api/audit", {}, signal);
  const answer = h("div", { class: "answer" });
  const field = h("textarea", {
    id: "sql", rows: 8, spellcheck: "false", maxlength: 20000, data: { focus: "" }, autocomplete: "off",
    placeholder: "SELECT … FROM tasks",
  });
  field.value = params.sql || "";
  const asOf = h("input", { id: "as-of", type: "text", value: params.as_of || "", placeholder: "now", maxlength: 200 });
  const limit = h("select", { id: "limit" }, [100, 500, 2000].map((number) => h("option", { value: number, selected: String(number) === params.limit }, `${number} rows`)));

  let asked = 0;
  async function run(given) {
    const turn = ++asked;
    list.hidden = false;
    answer.replaceChildren(loading("Asking…"));
    try {
      const told = await post("/api/audit", { ...given, limit: Number(limit.value), as_of: asOf.value.trim() }, signal);
      // What was asked since is what somebody waits for.
      if (turn !== asked) return;
      answer.replaceChildren(...named(given.name), ...shown(told));
      say(plural(told.rows.length, "row"));
    } catch (failure) {
      if (!signal.aborted && turn === asked) answer.replaceChildren(failed(failure));
    }
  }

  /** A question that has a name says what it answers, and shows its SQL to be changed. */
  function named(name) {
    const question = known.questions.find((each) => each.name === name);
    if (!question) return [];
    // What somebody typed stays.
    if (!field.value.trim() || known.questions.some((each) => each.sql === field.value)) field.value = question.sql;
    return [h("div", {}, h("h2", {}, h("code", {}, question.name)), h("p", { class: "fine" }, question.says))];
  }

  function go(given) {
    const query = new URLSearchParams({ ...given, limit: limit.value, as_of: asOf.value.trim() });
    const next = `#/audit?${query}`;
    if (location.hash === next) run(given);
    else location.hash = next;
  }

  const questions = (kind) => h("ul", { class: kind }, known.questions.map((each) => h("li", { data: { row: "" } },
    h("button", { type: "button", class: "link", on: { click: () => go({ name: each.name }) } }, each.name), h("p", { class: "fine" }, each.says))));
  const list = h("section", { class: "card" }, h("h2", {}, "Questions"), questions("plain questions"));

  const form = h("form", {
    class: "sql card",
    on: { submit: (event) => { event.preventDefault(); if (field.value.trim()) go({ sql: field.value }); } },
  },
  h("label", { for: "sql" }, "SQL over every trace"), field,
  h("div", { class: "row" },
    h("span", { class: "fine" }, "Read only. Ctrl + Enter asks."),
    h("span", { class: "joined" }, h("label", { for: "as-of" }, "As of"), asOf),
    h("label", { for: "limit", class: "unseen" }, "At most"), limit,
    h("button", { type: "submit", class: "primary" }, "Ask")));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  room.replaceChildren(
    h("header", { class: "head" }, h("div", {}, h("h1", {}, "Audit"), h("p", { class: "tally" }, "Everything that ever happened, as tables."))),
    h("div", { class: "paper asking" },
      form, answer,
      h("aside", { class: "beside", aria: { label: "Questions and tables" } },
        list, tablesCard(signal))));
  function begin(given) {
    if (given.sql) run({ sql: given.sql });
    else if (given.name) run({ name: given.name });
    else {
      asked += 1;
      list.hidden = true;
      answer.replaceChildren(h("h2", {}, "Or choose a question"), questions("choice"));
    }
  }

  begin(params);
  return {
    keep(_, next) {
      if (next.sql) field.value = next.sql;
      asOf.value = next.as_of || "";
      limit.value = next.limit || "100";
      begin(next);
      return true;
    },
  };
}

/** Every table with its columns, asked for when somebody wants to see them. */
function tablesCard(signal) {
  const inside = h("div", {});
  async function fill() {
    inside.replaceChildren(loading());
    try {
      const told = await get("/api/audit/tables", {}, signal);
      inside.replaceChildren(...told.tables.map((table) => h("details", { data: { row: "" } },
        h("summary", {}, h("code", {}, table.name), h("span", { class: "fine" }, ` ${plural(table.columns.length, "column")}`)),
        h("ul", { class: "columns" }, table.columns.map((column) => h("li", {}, h("code", {}, column.name), h("span", { class: "fine" }, ` ${column.type}`)))))));
    } catch (failure) {
      if (!signal.aborted) inside.replaceChildren(failed(failure, fill));
    }
  }
  const card = h("details", { class: "card tables", data: { row: "" }, on: { toggle: () => { if (card.open && !inside.firstChild) fill(); } } },
    h("summary", {}, "Tables and columns"), inside);
  return card;
}

function shown(told) {
  const drawn = plan(told.columns, told.types, told.rows);
  return [
    h("p", { class: "fine row" }, h("span", {}, `${plural(told.rows.length, "row")}${told.truncated ? ", and there are more" : ""} in ${count(told.took_ms)} ms`),
      told.rows.length ? h("button", { type: "button", class: "quiet", on: { click: (event) => copy(csv(told), event.currentTarget) } }, "Copy as CSV") : ""),
    told.rows.length ? "" : empty("No rows", "The question was answered: there is nothing like that."),
    drawn ? draw(drawn) : "",
    told.rows.length ? table(told) : "",
  ];
}

function table(told) {
  const numeric = told.types.map((type) => /INT|DOUBLE|FLOAT|DECIMAL|REAL/i.test(type));
  return h("div", { class: "scroll", tabindex: "0", role: "region", aria: { label: "Rows" } },
    h("table", { class: "grid" },
      h("thead", {}, h("tr", {}, told.columns.map((name, at) => h("th", { scope: "col", class: numeric[at] ? "num" : "" }, name, h("small", {}, told.types[at]))))),
      h("tbody", {}, told.rows.map((row) => h("tr", {}, row.map((value, at) => cell(value, numeric[at])))))));
}

function cell(value, numeric) {
  if (value === null || value === undefined) return h("td", { class: "null" }, "null");
  const words = worded(value);
  return h("td", { class: numeric ? "num" : "", title: words.length > 80 ? words.slice(0, 2000) : "" }, words.length > 240 ? `${words.slice(0, 240)}…` : words);
}

/** Lists and structures as JSON, the rest as it is. */
function worded(value) {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function csv(told) {
  const quoted = (value) => `"${worded(value ?? "").replaceAll('"', '""')}"`;
  return [told.columns, ...told.rows].map((row) => row.map(quoted).join(",")).join("\n");
}
