// The frame: which view an address leads to, the keys, the colours.

import { get } from "./api.js";
import { failed, h, loading, say } from "./dom.js";
import { words } from "./format.js";
import { moveInList, openKeys, typing } from "./keys.js";
import * as audit from "./audit.js";
import * as search from "./search.js";
import * as source from "./source.js";
import * as sources from "./sources.js";
import * as task from "./task.js";
import * as tasks from "./tasks.js";

const VIEWS = [
  [/^\/tasks$/, tasks, "/tasks"],
  [/^\/tasks\/([^/]+)(?:\/([a-z]+))?$/, task, "/tasks"],
  [/^\/search$/, search, "/search"],
  [/^\/sources$/, sources, "/sources"],
  [/^\/sources\/([^/]+)\/([^/]+)$/, source, "/sources"],
  [/^\/audit$/, audit, "/audit"],
];
const main = document.getElementById("main");
let leaving = new AbortController();
let current = null;
let session = { may_write: false, scopes: [] };

function decoded(text) {
  try {
    return decodeURIComponent(text || "");
  } catch {
    return text;
  }
}

async function open(first = false) {
  const [path, query] = (location.hash.replace(/^#/, "") || "/tasks").split("?");
  const found = VIEWS.map(([pattern, view, section]) => [pattern.exec(path), view, section]).find(([hit]) => hit);
  const [hit, view, section] = found || [[], tasks, "/tasks"];
  const place = hit.slice(1).map(decoded);
  const params = Object.fromEntries(new URLSearchParams(query || ""));
  for (const link of document.querySelectorAll("#nav a")) {
    if (link.getAttribute("href") === `#${section}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  // A view that can change its part by itself keeps what it holds.
  if (current?.view === view && current.keep && current.keep(place, params)) return;
  leaving.abort();
  leaving = new AbortController();
  const signal = leaving.signal;
  current = { view, keep: null };
  const opened = current;
  const room = h("div", { class: "view", data: { view: section.slice(1) } }, loading());
  main.replaceChildren(room);
  if (!first) window.scrollTo(0, 0);
  document.getElementById("drawer").close();
  try {
    const shown = await view.show(room, place, params, { signal, session });
    if (opened === current) opened.keep = shown?.keep || null;
  } catch (failure) {
    if (signal.aborted) return;
    const up = place.length && h("p", { class: "crumb" }, h("a", { href: `#${section}`, data: { up: "" } }, `← ${words(section.slice(1))}`));
    room.replaceChildren(up || "", failed(failure, () => open()));
  }
  if (signal.aborted || first) return;
  const title = room.querySelector("h1");
  if (title && !main.contains(document.activeElement)) {
    title.tabIndex = -1;
    title.focus({ preventScroll: true });
  }
}

// -- colours ----------------------------------------------------------------------------------------

const COLOURS = { auto: "Auto", light: "Light", dark: "Dark" };

function paint(next) {
  const root = document.documentElement;
  if (next === "auto") delete root.dataset.theme;
  else root.dataset.theme = next;
  try {
    if (next === "auto") localStorage.removeItem("theme");
    else localStorage.setItem("theme", next);
  } catch {
    // Kept until the page is left, then.
  }
  const button = document.getElementById("theme");
  button.textContent = COLOURS[next];
  button.setAttribute("aria-label", `Colours: ${next === "auto" ? "as the system" : next}`);
}

function turnColours() {
  const order = ["auto", "light", "dark"];
  const now = document.documentElement.dataset.theme || "auto";
  const next = order[(order.indexOf(now) + 1) % order.length];
  paint(next);
  say(`Colours: ${next}`);
}

// -- keys -------------------------------------------------------------------------------------------

const GOES = { t: "#/tasks", s: "#/search", o: "#/sources", a: "#/audit" };
let going = false;

function heard(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (typing(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (document.querySelector("dialog[open]")) return;
  if (going && GOES[event.key]) {
    going = false;
    location.hash = GOES[event.key];
    return;
  }
  going = event.key === "g";
  if (event.key === "/") {
    event.preventDefault();
    const field = main.querySelector("[data-focus]");
    if (field) field.focus();
    else location.hash = "#/search";
  } else if (event.key === "?") openKeys();
  else if (event.key === "d") turnColours();
  else if (event.key === "j" || event.key === "k") moveInList(event.key === "j" ? 1 : -1);
  else if (/^[1-9]$/.test(event.key)) main.querySelectorAll(".tabs a")[Number(event.key) - 1]?.click();
  else if (event.key === "u") main.querySelector("[data-up]")?.click();
}

// -- beginning --------------------------------------------------------------------------------------

document.addEventListener("keydown", heard);
document.getElementById("theme").addEventListener("click", turnColours);
document.getElementById("help").addEventListener("click", openKeys);
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
paint(document.documentElement.dataset.theme || "auto");
window.addEventListener("hashchange", () => open());
try {
  session = await get("/api/session");
  const leave = document.getElementById("leave");
  leave.hidden = !session.client;
  leave.title = session.client ? `Signed in with the token ${session.client}` : "";
} catch {
  // What it may do is asked again when it does something.
}
await open(true);
