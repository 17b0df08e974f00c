// Every research of this home, the newest first; what runs is looked at again and again.

import { aborted, get, post } from "./api.js";
import { badge, chips, clean, empty, failed, h, say } from "./dom.js";
import { ago, between, full, money, plural } from "./format.js";

const STATES = [["", "All"], ["running", "Running"], ["pending", "Waiting"], ["completed", "Completed"],
  ["failed", "Failed"], ["cancelled", "Cancelled"]];
const PAGE = 25;
const MOST = 200;
const LOOK_EVERY = 2000;

export async function show(room, place, params, { signal, session }) {
  document.title = "Tasks · Research";
  const state = params.status || "";
  const rows = new Map();
  const list = h("ol", { class: "rows tasks", aria: { label: "Researches" } });
  const tally = h("p", { class: "tally" });
  const below = h("div", { class: "below" });
  const trouble = h("div", {});
  let wanted = PAGE;

  const more = h("button", { type: "button", on: { click: () => { wanted = Math.min(wanted + PAGE, MOST); look(); } } },
    "Show more");

  function draw(page) {
    trouble.replaceChildren();
    const known = new Set(page.tasks.map((task) => task.task_id));
    for (const [id, row] of rows) if (!known.has(id)) { row.node.remove(); rows.delete(id); }
    page.tasks.forEach((task, at) => {
      let row = rows.get(task.task_id);
      if (!row) {
        row = makeRow(task);
        rows.set(task.task_id, row);
      } else if (row.status !== task.status) say(`${task.query}: ${task.status.replace("_async", "")}`);
      row.update(task);
      if (list.children[at] !== row.node) list.insertBefore(row.node, list.children[at] || null);
    });
    const cap = page.daily_cap_usd ? ` of ${money(page.daily_cap_usd)}` : "";
    tally.textContent = `${money(page.spent_today_usd)}${cap} spent today`;
    // Whoever is at the button stays there.
    if (page.next_cursor && wanted < MOST && more.isConnected) return;
    below.replaceChildren();
    if (page.next_cursor && wanted < MOST) below.append(more);
    else if (page.next_cursor) below.append(h("p", { class: "fine" }, `The latest ${MOST} are shown. The audit prompt reaches all of them.`));
    if (!page.tasks.length) below.append(nothing(state, session, page.can_research));
  }

  async function look() {
    draw(await get("/api/tasks", { status: state, limit: wanted }, signal));
  }

  room.replaceChildren(
    h("header", { class: "head" },
      h("div", {}, h("h1", {}, "Tasks"), tally),
      chips("Status", STATES, state, (value) => (value ? `#/tasks?status=${value}` : "#/tasks"))),
    session.may_write ? startForm(signal) : "",
    trouble, list, below,
  );
  await look();
  follow(look, signal, (failure) => trouble.replaceChildren(failed(failure)));
}

/** Look again as long as the view is open and somebody can see it. */
export function follow(look, signal, tell, every = LOOK_EVERY) {
  let pause = every;
  async function again() {
    if (signal.aborted) return;
    if (!document.hidden) {
      try {
        await look();
        pause = every;
      } catch (failure) {
        if (aborted(failure) || signal.aborted) return;
        pause = Math.min(pause * 2, 30_000);
        tell(failure);
      }
    }
    timer = setTimeout(again, pause);
  }
  let timer = setTimeout(again, pause);
  signal.addEventListener("abort", () => clearTimeout(timer));
}

function makeRow(task) {
  const state = h("span", { class: "cell state" });
  const title = h("span", { class: "title" });
  const meta = h("span", { class: "meta" });
  const bar = h("progress", { max: 100, value: 0, aria: { label: "Progress" } });
  const share = h("span", { class: "share" });
  const cost = h("span", { class: "cell cost" });
  const link = h("a", { href: `#/tasks/${encodeURIComponent(task.task_id)}`, data: { row: "" } },
    state,
    h("span", { class: "cell what" }, title, meta),
    h("span", { class: "cell far" }, bar, share),
    cost);
  const row = {
    node: h("li", {}, link),
    status: task.status,
    update(now) {
      if (row.status !== now.status || !state.firstChild) state.replaceChildren(badge(now.status));
      row.status = now.status;
      write(title, clean(now.query));
      title.title = full(now.started_at);
      const took = now.completed_at ? `took ${between(now.started_at, now.completed_at)}` : "";
      write(meta, [now.researcher, now.completed_at ? ago(now.started_at) : `asked ${ago(now.started_at)}`, took].filter(Boolean).join(" · "));
      const live = now.status === "running_async" || now.status === "pending";
      bar.hidden = !live;
      bar.value = now.progress;
      share.textContent = live ? `${now.progress}%` : "";
      cost.textContent = money(now.cost_usd);
    },
  };
  return row;
}

/** Text that stays the same is left alone: whoever has selected it keeps that. */
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function nothing(state, session, can) {
  if (state) return empty("None like that", "No research has this status now.", h("p", {}, h("a", { href: "#/tasks" }, "Show all")));
  if (!can) {
    return empty("Nothing to research yet", "Bring documents in first, or set a provider's key: research-agent doctor says which.",
      h("pre", {}, "research-agent ingest PATH"));
  }
  return empty(
    "No research yet",
    session.may_write
      ? "Ask a question above, or let an MCP client call start_deep_research."
      : "Let an MCP client call start_deep_research, or ask in a terminal:",
    h("pre", {}, 'research-agent research "Why is the sky blue?"'),
  );
}

function startForm(signal) {
  const key = crypto.randomUUID ? crypto.randomUUID() : String(Math.random()).slice(2);
  const field = h("textarea", {
    id: "question", name: "query", rows: 2, maxlength: 10000, required: true, data: { focus: "" },
    placeholder: "What do you want to know?",
  });
  const guess = h("p", { class: "fine", role: "status" });
  const button = h("button", { type: "submit", class: "primary" }, "Start research");
  let timer = 0;
  let turn = 0;
  field.addEventListener("input", () => {
    guess.classList.remove("wrong");
    clearTimeout(timer);
    const mine = ++turn;
    timer = setTimeout(async () => {
      const likely = await estimate(field.value.trim(), signal);
      // What was typed or sent since is what somebody waits for.
      if (mine === turn) guess.textContent = likely;
    }, 600);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  const form = h("form", {
    class: "start card", aria: { label: "Start a research" },
    on: {
      submit: async (event) => {
        event.preventDefault();
        button.disabled = true;
        clearTimeout(timer);
        turn += 1;
        try {
          const told = await post("/api/tasks", { query: field.value, key });
          // Whoever has gone elsewhere meanwhile is left there; the new one is in the list.
          if (!signal.aborted) location.hash = `#/tasks/${told.task_id}`;
        } catch (failure) {
          guess.textContent = `${failure.message} ${failure.suggestion || ""}`;
          guess.classList.add("wrong");
        } finally {
          button.disabled = false;
        }
      },
    },
  }, h("label", { for: "question" }, "Ask a question"), field, h("div", { class: "row" }, guess, button));
  return form;
}

async function estimate(query, signal) {
  if (query.length < 3) return "";
  try {
    const told = await post("/api/estimate", { query }, signal);
    if (!told.researcher_available) return "Nobody can research this yet: there are no documents here, and no provider's key.";
    const minutes = told.estimated_duration.likely_minutes;
    const takes = minutes < 1 ? "under a minute" : `about ${plural(Math.round(minutes), "minute")}`;
    const rests = told.based_on_tasks ? `from ${plural(told.based_on_tasks, "past task")}` : "from published figures";
    return `Likely ${takes} and ${money(told.estimated_cost.likely_usd)} with the ${told.researcher} researcher, ${rests}.`;
  } catch {
    return "";
  }
}
