// Nodes, never markup: whatever comes from a trace, a source or a model becomes text.

const SVG = "http://www.w3.org/2000/svg";
const ATTRIBUTES = new Set([
  "id", "class", "type", "name", "value", "for", "placeholder", "title", "role", "rows", "cols", "max", "min",
  "maxlength", "required", "disabled", "checked", "selected", "tabindex", "datetime", "scope", "colspan", "lang", "dir",
  "autocomplete", "spellcheck", "hidden", "open", "alt", "width", "height", "start",
]);

/** An element. `on` holds listeners, `data` and `aria` their attributes, `href` is checked. */
export function h(tag, given = {}, ...kids) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, heard] of Object.entries(value)) node.addEventListener(event, heard);
    else if (name === "data") Object.assign(node.dataset, value);
    else if (name === "aria") for (const [key, said] of Object.entries(value)) node.setAttribute(`aria-${key}`, said);
    else if (name === "href") setLink(node, value);
    else if (ATTRIBUTES.has(name)) node.setAttribute(name, value === true ? "" : String(value));
    else throw new Error(`no attribute ${name}`);
  }
  add(node, kids);
  return node;
}

export function add(node, kids) {
  for (const kid of kids.flat(Infinity)) {
    if (kid === undefined || kid === null || kid === false || kid === "") continue;
    node.append(kid instanceof Node ? kid : document.createTextNode(clean(String(kid))));
  }
  return node;
}

/** Control characters and those that turn the direction of writing are shown as what they are: nothing to read. */
export function clean(text) {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

function setLink(node, address) {
  if (address.startsWith("#")) {
    node.setAttribute("href", address);
    return;
  }
  if (!isWeb(address)) return;
  node.setAttribute("href", address);
  node.setAttribute("rel", "noopener noreferrer nofollow");
  node.setAttribute("target", "_blank");
}

export function isWeb(address) {
  return typeof address === "string" && /^https?:\/\//i.test(address);
}

export function svg(tag, given = {}, ...kids) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(given)) node.setAttribute(name, String(value));
  for (const kid of kids.flat()) node.append(kid);
  return node;
}

/** A locator: a link if it leads to the web, else the words. */
export function locator(address, label) {
  const words = label || address;
  return isWeb(address)
    ? h("a", { href: address, class: "locator" }, words, h("span", { class: "unseen" }, " (opens the web)"))
    : h("span", { class: "locator" }, words);
}

/** What the columns of quoted rows are called, where the rows stand without it. */
export function columns(quoted) {
  return quoted.column_heads ? h("p", { class: "fine" }, "Columns: ", quoted.column_heads) : null;
}

export function hash(value, label = "") {
  if (!value) return null;
  const full = String(value);
  return h(
    "button",
    {
      type: "button", class: "hash", title: `${full}: copy`, aria: { label: `Copy ${label || "hash"} ${full}` },
      on: { click: (event) => { event.preventDefault(); copy(full, event.currentTarget); } },
    },
    full.replace(/^sha256:/, "").slice(0, 12),
  );
}

export async function copy(text, by) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied");
    if (by) {
      by.classList.add("copied");
      setTimeout(() => by.classList.remove("copied"), 900);
    }
  } catch {
    // As over plain HTTP from another machine.
    say("The browser does not allow copying here");
    by?.classList.add("refused");
  }
}

/** Told to screen readers, and to nobody else. */
export function say(words) {
  const live = document.getElementById("live");
  live.textContent = "";
  requestAnimationFrame(() => { live.textContent = clean(words); });
}

export function empty(title, words, ...more) {
  return h("div", { class: "empty" }, h("h2", {}, title), h("p", {}, words), ...more);
}

export function failed(failure, again) {
  return h(
    "div", { class: "error", role: "alert" },
    h("h2", {}, failure.message || "Something failed."),
    h("p", {}, failure.suggestion || "Load the page anew."),
    h("p", { class: "fine" }, h("code", {}, failure.code || "unknown")),
    // What is not there will not be there for being asked again.
    again && failure.status !== 404 && h("button", { type: "button", on: { click: again } }, "Try again"),
  );
}

export function loading(words = "Loading…") {
  return h("p", { class: "loading", role: "status" }, words);
}

const BADGES = {
  pending: ["Waiting", "idle"], running_async: ["Running", "live"], running: ["Running", "live"],
  completed: ["Completed", "good"], failed: ["Failed", "bad"], cancelled: ["Cancelled", "warn"],
  quarantined: ["Set aside", "bad"], waiting: ["Waiting", "idle"], working: ["Working", "live"],
  done: ["Done", "good"], stopped: ["Stopped", "warn"],
};

export function badge(status) {
  const [words, tone] = BADGES[status] || [String(status), "idle"];
  return h("span", { class: `badge ${tone}`, data: { status } }, words);
}

/** A mark that says in words whether something holds. */
export function mark(holds, yes, no, unknown = "Not checked") {
  const tone = holds === true ? "good" : holds === false ? "bad" : "idle";
  const sign = holds === true ? "✓" : holds === false ? "✕" : "–";
  const words = holds === true ? yes : holds === false ? no : unknown;
  return h("span", { class: `mark ${tone}` }, h("span", { aria: { hidden: "true" }, class: "sign" }, sign), words);
}

/** A choice of some kind kept in the address, as a row of links. */
export function chips(label, choices, current, addressOf) {
  return h(
    "nav", { class: "chips", aria: { label } },
    choices.map(([value, words]) =>
      h("a", { href: addressOf(value), aria: value === current ? { current: "true" } : {} }, words)),
  );
}
