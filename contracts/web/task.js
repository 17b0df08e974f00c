// One research: where it stands, what it found, what that rests on, and how it came to it.

import { get, part, post } from "./api.js";
import { badge, clean, empty, failed, h, hash, loading, say } from "./dom.js";
import { ago, between, count, full, money, plural, some, words } from "./format.js";
import { evidence, reportTab } from "./evidence.js";
import { bars } from "./chart.js";
import { follow } from "./tasks.js";
import { Timeline } from "./timeline.js";

const TABS = [["report", "Report"], ["evidence", "Evidence"], ["timeline", "Timeline"], ["team", "Team"], ["cost", "Cost"]];

export async function show(room, [id, wanted], params, { signal, session }) {
  const told = await get(`/api/tasks/${part(id)}`, {}, signal);
  const view = new TaskView(room, id, told, signal, session);
  view.open(wanted || (told.ended ? "report" : "timeline"));
  return {
    keep([nextId, tab]) {
      if (nextId !== id) return false;
      view.open(tab || (view.now.ended ? "report" : "timeline"));
      return true;
    },
  };
}

class TaskView {
  constructor(room, id, told, signal, session) {
    Object.assign(this, { id, now: told, signal, session });
    this.question = told.question;
    document.title = `${told.question.slice(0, 60)} · Research`;
    this.status = h("div", { class: "stand" });
    this.trouble = h("div", {});
    this.refused = h("div", {});
    this.panel = h("div", { class: "panel" });
    this.tabs = h("nav", { class: "tabs", aria: { label: "Parts of this task" } },
      TABS.map(([name, label]) => h("a", { href: `#/tasks/${part(id)}/${name}`, data: { tab: name } }, label)));
    room.replaceChildren(
      h("header", { class: "task-head" },
        h("p", { class: "crumb" }, h("a", { href: "#/tasks", data: { up: "" } }, "← Tasks")),
        h("h1", { class: told.question.length > 160 ? "long" : "" }, told.question),
        this.status, this.refused, this.trouble),
      this.tabs, this.panel);
    this.timeline = new Timeline(id);
    this.draw(told);
    this.result = null;
    this.turn = 0;
    this.timeline.follow(signal, (now) => this.draw(now), () => this.ended());
    follow(() => this.lookAside(), signal, (failure) => this.trouble.replaceChildren(failed(failure)));
    const clock = setInterval(() => this.tick(), 1000);
    signal.addEventListener("abort", () => {
      clearInterval(clock);
      clearTimeout(this.again);
    });
  }

  draw(now) {
    // An answer that was on its way when the research ended is older than its end.
    if (this.now.ended && !now.ended) return;
    const before = this.now;
    this.now = { ...this.now, ...now };
    if (before.status !== now.status) say(`The research is ${now.status.replace("_async", "")}`);
    const live = !now.ended;
    this.took = h("span", {}, between(now.asked_at, now.ended_at));
    const focused = this.status.contains(document.activeElement) ? document.activeElement : null;
    this.status.replaceChildren(
      h("p", { class: "badges" }, badge(now.status), h("span", { class: "action" }, live ? now.action : ""), this.cancelButton(now)),
      live ? h("div", { class: "far" },
        h("progress", { max: 100, value: now.progress, aria: { label: "Progress" } }),
        h("span", { class: "share" }, `${now.progress}%`),
        now.minutes_left ? h("span", { class: "fine" }, `about ${plural(now.minutes_left, "minute")} left`) : null) : "",
      h("dl", { class: "stats" },
        stat("Cost", money(now.cost_usd)),
        stat(live ? (now.status === "pending" ? "Waiting for" : "Running for") : "Took", this.took),
        stat("Sources read", count(now.sources_read)),
        stat("Tokens", some(now.tokens.input + now.tokens.output)),
        stat("Calls", count(now.calls.asked), now.calls.failed ? `${now.calls.failed} failed` : ""),
        stat("Researcher", now.researcher),
        stat("Asked", h("time", { datetime: now.asked_at, title: full(now.asked_at) }, ago(now.asked_at)))),
      h("p", { class: "record fine" }, "Record ", h("code", {}, this.id),
        now.record.seq ? [` · its own trace has ${plural(now.record.seq, "fact")} and ends `, hash(now.record.head, "hash of the record's end")] : " · its own trace is still empty",
        now.restarts ? ` · taken up again ${plural(now.restarts, "time")}` : ""));
    if (focused === this.canceller) this.canceller?.focus();
    else if (focused) this.status.querySelector(".hash")?.focus();
    if (now.ended) this.refused.replaceChildren();
    this.trouble.replaceChildren(...(now.failure
      ? [h("div", { class: "error" }, h("h2", {}, now.failure.message || "The research failed."), h("p", { class: "fine" }, h("code", {}, now.failure.code)))]
      : []));
  }

  cancelButton(now) {
    if (now.ended || !this.session.may_write) return "";
    if (now.stop_requested) return h("span", { class: "fine" }, "Stop requested");
    // One button for the whole life of the page: a new status must not take back what was pressed.
    this.canceller ??= h("button", {
      type: "button", class: "danger",
      on: {
        click: async (event) => {
          const button = event.currentTarget;
          // Whoever clicks twice at once has not read what the second click would do.
          if (event.detail > 1) return;
          this.refused.replaceChildren();
          if (!button.dataset.sure) {
            button.dataset.sure = "yes";
            button.textContent = "Cancel it now?";
            return;
          }
          try {
            this.draw(await post(`/api/tasks/${part(this.id)}/cancel`, {}));
            say("Cancellation is recorded");
          } catch (failure) {
            this.refused.replaceChildren(failed(failure));
          }
        },
      },
    }, "Cancel research");
    return this.canceller;
  }

  tick() {
    if (!this.now.ended && this.took) this.took.textContent = between(this.now.asked_at);
  }

  /** While nothing comes by the timeline: how the task stands, or why nobody says so. */
  async lookAside() {
    if (this.now.ended || this.timeline.connected) return;
    const told = await get(`/api/tasks/${part(this.id)}`, {}, this.signal);
    this.draw(told);
    if (told.ended) this.ended();
  }

  ended() {
    // What was drawn of an ended research is final: drawn anew, it would lose the reader's place in it.
    if (!this.early) return;
    this.early = false;
    this.result = null;
    if (this.tab !== "timeline") this.open(this.tab);
  }

  open(tab) {
    const name = TABS.some(([known]) => known === tab) ? tab : "report";
    this.tab = name;
    const turn = this.turn += 1;
    clearTimeout(this.again);
    this.early = !this.now.ended;
    for (const link of this.tabs.children) {
      if (link.dataset.tab === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (name === "timeline") {
      this.panel.replaceChildren(this.timeline.node);
      return;
    }
    this.panel.replaceChildren(loading());
    const draw = { report: () => this.found(reportTab), evidence: () => this.found(evidence), team: () => this.team(), cost: () => this.cost() };
    draw[name]().catch((failure) => {
      if (!this.signal.aborted) this.put(turn, failed(failure, () => this.open(name)));
    });
  }

  /** Draw what was asked for when a part was opened; an answer that comes after somebody went on is left out. */
  put(turn, ...nodes) {
    if (this.turn === turn) this.panel.replaceChildren(...nodes);
  }

  async found(draw) {
    const turn = this.turn;
    if (!this.now.ended) {
      this.put(turn, empty("Not yet", "The report is written when the research ends. Until then the timeline shows what happens.",
        h("p", {}, h("a", { href: `#/tasks/${part(this.id)}/timeline` }, "Follow the timeline"))));
      return;
    }
    this.result ||= get(`/api/tasks/${part(this.id)}/result`, {}, this.signal);
    let told;
    try {
      told = await this.result;
    } catch (failure) {
      this.result = null;
      if (failure.code !== "no_result") throw failure;
      this.put(turn, empty("There is no report", failure.message, h("p", {}, h("a", { href: `#/tasks/${part(this.id)}/timeline` }, "See what happened"))));
      return;
    }
    this.checks ||= get(`/api/tasks/${part(this.id)}/verification`, {}, this.signal).catch((failure) => {
      this.checks = null;
      return { failure };
    });
    this.put(turn, ...draw(this.id, told, this.checks));
  }

  async team() {
    const turn = this.turn;
    const told = await get(`/api/tasks/${part(this.id)}/researchers`, {}, this.signal);
    this.showTeam(turn, told);
    this.lookAtTeamAgain(turn, JSON.stringify(told));
  }

  showTeam(turn, told) {
    this.put(turn, h("ul", { class: "tree" }, branch(told.tree)),
      told.researchers ? "" : empty("Nobody yet", "No researcher was sent out so far."));
  }

  /** As long as the team can change; what has not changed is not drawn anew, so that whoever reads it keeps their place. */
  lookAtTeamAgain(turn, last) {
    if (this.now.ended || this.turn !== turn) return;
    clearTimeout(this.again);
    this.again = setTimeout(async () => {
      let seen = last;
      try {
        const told = await get(`/api/tasks/${part(this.id)}/researchers`, {}, this.signal);
        seen = JSON.stringify(told);
        if (seen !== last) this.showTeam(turn, told);
      } catch {
        // The head of the page says what is wrong.
      }
      if (!this.signal.aborted) this.lookAtTeamAgain(turn, seen);
    }, 3000);
  }

  async cost() {
    const turn = this.turn;
    const told = await get(`/api/tasks/${part(this.id)}/costs`, {}, this.signal);
    if (!told.rows.length) {
      this.put(turn, empty("Free so far", "Nothing outside was asked in this task."));
      return;
    }
    const heads = ["Part", "Model or operation", "Calls", "Failed", "Tokens in", "Tokens out", "Time", "Cost"];
    this.put(turn,
      h("p", { class: "lead" }, `${money(this.now.cost_usd)} in all`, told.task_cap_usd ? ` of at most ${money(told.task_cap_usd)}` : ""),
      told.rows.some((row) => row.cost_usd > 0) ? bars(told.rows.map((row) => [row.model, row.cost_usd]), money, "Cost by model") : "",
      h("div", { class: "scroll", tabindex: "0", role: "region", aria: { label: "Costs" } },
        h("table", { class: "grid" },
          h("thead", {}, h("tr", {}, heads.map((head, at) => h("th", { scope: "col", class: at > 1 ? "num" : "" }, head)))),
          h("tbody", {}, told.rows.map((row) => h("tr", {},
            h("td", {}, row.port), h("td", {}, row.model),
            [count(row.calls), count(row.failed), count(row.tokens_in), count(row.tokens_out), `${(row.took_ms / 1000).toFixed(1)} s`, money(row.cost_usd)]
              .map((value) => h("td", { class: "num" }, value))))))));
  }
}

function stat(name, value, more = "") {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value, more && h("small", {}, ` ${more}`)));
}

function branch(node) {
  const counts = [[node.steps, "step"], [node.sources, "source"], [node.quotes, "quote"], [node.gaps, "gap"], [node.calls, "call"]]
    .filter(([number]) => number).map(([number, name]) => plural(number, name));
  if (node.failed_calls) counts.push(plural(node.failed_calls, "failed call"));
  return h("li", {},
    h("article", { class: "card member", data: { row: "" }, tabindex: "0" },
      h("p", { class: "badges" }, badge(node.state), h("strong", {}, node.name === "task" ? "Task" : node.name),
        h("span", { class: "fine" }, node.kind === "task" ? "" : words(node.kind)),
        node.cost_usd ? h("span", { class: "fine" }, money(node.cost_usd)) : ""),
      h("p", {}, clean(node.question)),
      node.why && h("p", { class: "fine" }, `Sent out because: ${node.why}`),
      node.doing && h("p", { class: "fine" }, node.doing),
      counts.length ? h("p", { class: "fine" }, counts.join(" · ")) : ""),
    node.children.length ? h("ul", {}, node.children.map(branch)) : "");
}
