// The facts of a task as they arrive; a connection that breaks is taken up where it was.

import { get } from "./api.js";
import { badge, clean, failed, h, hash } from "./dom.js";
import { clock, full, plural } from "./format.js";

const MOST = 3000;
const FILTERS = [["", "Everything"], ["story", "Story"], ["source", "Sources"], ["call", "Calls"], ["trouble", "Trouble"]];
const STORY = new Set(["task", "step", "source", "gap", "lead", "team", "end", "trouble"]);
const NEAR = 140;
const NOTHING = "Nothing has happened yet.";

export class Timeline {
  constructor(task) {
    this.task = task;
    this.seen = new Map();
    this.first = new Map();
    this.leftOut = 0;
    this.list = h("ol", { class: "timeline", aria: { label: "Facts" } });
    this.earlier = h("p", { class: "fine" });
    this.lacking = h("span", {});
    this.show = h("button", { type: "button", class: "quiet", on: { click: () => this.loadEarlier() } }, "Show some of them");
    this.note = h("p", { class: "fine", role: "status" });
    this.jump = h("button", { type: "button", class: "jump", hidden: true, on: { click: () => this.toEnd() } }, "");
    this.filters = h("div", { class: "chips", role: "group", aria: { label: "Facts shown" } },
      FILTERS.map(([value, words]) => h("button", {
        type: "button", aria: { pressed: String(value === "") }, data: { filter: value },
        on: { click: () => this.filter(value) },
      }, words)));
    this.unread = 0;
    this.connected = this.asking = this.over = false;
    this.place = "";
    this.node = h("section", { aria: { label: "Timeline" } },
      h("div", { class: "bar" }, this.filters, this.note), this.earlier, this.list, this.jump);
  }

  add(fact) {
    if (fact.seq <= (this.seen.get(fact.stream) || 0)) return;
    this.seen.set(fact.stream, fact.seq);
    if (!this.first.has(fact.stream)) this.first.set(fact.stream, fact.seq);
    const near = window.innerHeight + window.scrollY > document.documentElement.scrollHeight - NEAR;
    const arrived = row(fact);
    if (!this.loading) arrived.classList.add("new");
    this.list.append(arrived);
    if (this.note.textContent === NOTHING) this.note.textContent = "Live";
    while (this.list.children.length > MOST) {
      this.drop(this.list.firstElementChild);
    }
    if (!this.node.isConnected || this.loading) return;
    if (near) this.toEnd();
    else {
      this.unread += 1;
      this.jump.textContent = `${plural(this.unread, "new fact")} ↓`;
      this.jump.hidden = false;
    }
  }

  drop(node) {
    this.first.set(node.dataset.stream, Number(node.dataset.seq) + 1);
    node.remove();
    this.missing(1);
  }

  toEnd() {
    this.unread = 0;
    this.jump.hidden = true;
    window.scrollTo({ top: document.documentElement.scrollHeight });
  }

  missing(number) {
    this.leftOut += number;
    this.lacking.textContent = `Not shown: ${plural(this.leftOut, "earlier fact")}. `;
    // The same button, so that whoever presses it stays there.
    if (this.leftOut > 0 && this.show.parentNode !== this.earlier) this.earlier.replaceChildren(this.lacking, this.show);
    else if (this.leftOut <= 0) this.earlier.replaceChildren();
  }

  async loadEarlier() {
    // A second click before the answer would bring the same facts again.
    if (this.asking) return;
    this.asking = true;
    const before = [...this.first].map(([stream, seq]) => `${stream}:${seq}`).join(",");
    try {
      const told = await get(`/api/tasks/${encodeURIComponent(this.task)}/facts`, { before, limit: 200 });
      this.list.prepend(...told.facts.map(row));
      for (const fact of [...told.facts].reverse()) this.first.set(fact.stream, fact.seq);
      this.leftOut = 0;
      this.missing(told.left_out);
    } catch (failure) {
      this.earlier.replaceChildren(failed(failure, () => this.loadEarlier()));
    } finally {
      this.asking = false;
    }
  }

  filter(value) {
    this.list.dataset.filter = value;
    for (const button of this.filters.children) button.setAttribute("aria-pressed", String(button.dataset.filter === value));
  }

  /** What is left out lies behind all that is shown: only the latest stays in one piece. */
  startAnew(leftOut) {
    const gone = this.list.children.length;
    this.list.replaceChildren();
    this.first.clear();
    this.missing(gone + leftOut);
  }

  /**
   * Follow the task until it ends; tells its status whenever that changes.
   *
   * Only while somebody can see it: browsers open few connections to one place, and every tab would keep one.
   */
  follow(signal, onStatus, onEnd) {
    this.loading = true;
    this.note.textContent = "Connecting…";
    let source = null;
    const turn = () => {
      if (this.over) return;
      if (document.hidden) {
        source?.close();
        this.connected = false;
      } else if (!source || source.readyState === EventSource.CLOSED) source = this.connect(onStatus, onEnd);
    };
    turn();
    document.addEventListener("visibilitychange", turn, { signal });
    signal.addEventListener("abort", () => source?.close());
  }

  connect(onStatus, onEnd) {
    const place = this.place ? `?after=${encodeURIComponent(this.place)}` : "";
    const source = new EventSource(`/api/tasks/${encodeURIComponent(this.task)}/events${place}`);
    const heard = (name, take) => source.addEventListener(name, (event) => take(JSON.parse(event.data), event.lastEventId));
    heard("fact", (fact, at) => {
      this.place = at;
      this.add(fact);
    });
    heard("left_out", (told) => this.startAnew(told.facts));
    source.addEventListener("open", () => { this.connected = true; });
    heard("status", (now) => {
      this.loading = false;
      this.note.textContent = now.ended ? "" : this.list.firstChild ? "Live" : NOTHING;
      onStatus(now);
    });
    heard("end", (told) => {
      this.over = true;
      source.close();
      this.note.replaceChildren("Ended ", badge(told.status), " ",
        told.status === "completed" ? h("a", { href: `#/tasks/${encodeURIComponent(this.task)}/report` }, "Read the report") : "");
      onEnd(told);
    });
    heard("broken", (told) => {
      this.over = true;
      this.connected = false;
      source.close();
      this.note.replaceChildren();
      this.list.after(failed({ message: told.message, suggestion: told.suggestion, code: told.error }));
    });
    source.addEventListener("error", () => {
      this.connected = false;
      if (source.readyState === EventSource.CLOSED) this.note.textContent = "The timeline cannot be followed now. Load the page anew.";
      else this.note.textContent = "Connection lost, trying again…";
    });
    return source;
  }
}

function row(fact) {
  const inside = h("div", { class: "inside" });
  const details = h("details", {
    data: { row: "" },
    on: { toggle: () => { if (details.open && !inside.firstChild) inside.append(...opened(fact)); } },
  },
  h("summary", {},
    h("time", { datetime: fact.at, title: full(fact.at) }, clock(fact.at)),
    h("span", { class: "dot", aria: { hidden: "true" } }),
    h("span", { class: "who" }, fact.stream),
    h("span", { class: "fact" }, h("span", { class: "fact-title" }, fact.title),
      fact.detail && h("span", { class: "fact-detail" }, fact.detail))),
  inside);
  return h("li", {
    class: STORY.has(fact.group) ? "story" : "",
    data: { group: fact.group, kind: fact.kind, stream: fact.stream, seq: String(fact.seq) },
  }, details);
}

function opened(fact) {
  return [
    h("p", { class: "fine" }, `${fact.kind} · ${fact.stream} ${fact.seq} · `, hash(fact.hash, "hash of the line")),
    h("pre", {}, clean(JSON.stringify(fact.data, null, 2))),
  ];
}
