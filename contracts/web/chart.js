// One simple chart, chosen from the columns' types: bars for names, a line for times.

import { h, svg } from "./dom.js";
import { clock, day } from "./format.js";

const NUMBER = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|REAL|DECIMAL.*)$/i;
const TIME = /^(DATE|TIMESTAMP.*|TIME)$/i;
const ID = /^(?:[a-z]+-)?[0-9a-f]{8}-[0-9a-f-]{27}(?:\.\w+)?$|^sha256:[0-9a-f]{64}$/;
const MOST_BARS = 30;
const WIDE = 720;
const HIGH = 220;

/** What can be drawn of an answer: its kind and its points; nothing, if nothing can. */
export function plan(columns, types, rows) {
  const y = measure(types, rows);
  if (y < 0 || rows.length < 2) return null;
  const time = types.findIndex((type, at) => at !== y && (TIME.test(type) || looksLikeTime(rows, at)));
  const name = label(types, rows, [y, time]);
  // Rows that have names of their own are things; when they happened is then only one thing about them.
  if (time >= 0 && !(name >= 0 && name < time && isDifferent(rows, name))) {
    const points = rows.map((row) => [new Date(String(row[time])).getTime(), Number(row[y])])
      .filter(([when, value]) => Number.isFinite(when) && Number.isFinite(value)).sort((one, other) => one[0] - other[0]);
    if (new Set(points.map(([when]) => when)).size > 1) {
      return { kind: "line", title: `${columns[y]} by ${columns[time]}`, points };
    }
  }
  if (name < 0 && time < 0) return null;
  const by = name >= 0 ? name : time;
  const drawn = rows.filter((row) => isNumber(row[y]));
  const points = drawn.slice(0, MOST_BARS).map((row) => [String(row[by] ?? "–"), Number(row[y])]);
  const cut = drawn.length > points.length ? `, the first ${points.length} of ${drawn.length}` : "";
  return points.length > 1 ? { kind: "bar", title: `${columns[y]} by ${columns[by]}${cut}`, points } : null;
}

/** The number that the rows are about: the one they stand in the order of, else the first. */
function measure(types, rows) {
  const numbers = types.map((type, at) => at).filter((at) => NUMBER.test(types[at]) && rows.some((row) => isNumber(row[at])));
  const falling = (at) => rows.every((row, place) => !place || Number(rows[place - 1][at]) >= Number(row[at]));
  const different = (at) => new Set(rows.map((row) => row[at])).size;
  const ordered = numbers.filter((at) => different(at) > 1 && falling(at)).sort((one, other) => different(other) - different(one));
  return ordered[0] ?? numbers[0] ?? -1;
}

/** The column that names the rows: words rather than an id, if there are any. */
function label(types, rows, taken) {
  const names = types.map((type, at) => at).filter((at) => !taken.includes(at) && !NUMBER.test(types[at]) && !/\[\]$|^STRUCT|^MAP/.test(types[at]));
  const isId = (at) => rows.every((row) => row[at] === null || ID.test(String(row[at])));
  return names.find((at) => !isId(at)) ?? names[0] ?? -1;
}

function isDifferent(rows, at) {
  return new Set(rows.map((row) => row[at])).size === rows.length;
}

function isNumber(value) {
  return value !== null && value !== "" && Number.isFinite(Number(value));
}

function looksLikeTime(rows, at) {
  const shown = rows.slice(0, 20).map((row) => row[at]).filter((value) => value !== null);
  return shown.length > 0 && shown.every((value) => typeof value === "string" && /^\d{4}-\d\d-\d\d([T ]\d\d:|$)/.test(value));
}

export function draw(drawn) {
  return drawn.kind === "line" ? line(drawn) : bars(drawn.points, figure, drawn.title);
}

function figure(value) {
  return Number(value.toPrecision(4)).toLocaleString("en");
}

/** Bars that lie, so that long names have room: names as text, lengths by share. */
export function bars(points, say, title) {
  const most = Math.max(...points.map(([, value]) => Math.abs(value)), 1e-12);
  return h("figure", { class: "chart", data: { chart: "bar" } },
    h("figcaption", {}, title),
    h("ul", { class: "bars" }, points.map(([label, value]) => {
      const length = (Math.abs(value) / most) * 100;
      return h("li", {}, h("span", { class: "bar-name", title: label }, label),
        svg("svg", { class: "bar-line", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
          svg("rect", { x: 0, y: 0, width: (value ? Math.max(length, 0.5) : 0).toFixed(2), height: 10, class: value < 0 ? "less" : "" })),
        h("span", { class: "bar-value" }, say(value)));
    })));
}

/** Where a line begins and ends; by the clock, where that is the same day. */
function ends(first, last) {
  return day(first) === day(last) ? [`${day(first)}, ${clock(first)}`, clock(last)] : [day(first), day(last)];
}

function line({ points, title }) {
  const [first, last] = [points[0][0], points.at(-1)[0]];
  const values = points.map(([, value]) => value);
  const [low, high] = [Math.min(0, ...values), Math.max(...values, 1e-12)];
  const x = (when) => 8 + ((when - first) / (last - first || 1)) * (WIDE - 16);
  const y = (value) => HIGH - 8 - ((value - low) / (high - low || 1)) * (HIGH - 24);
  const path = points.map(([when, value], at) => `${at ? "L" : "M"}${x(when).toFixed(1)} ${y(value).toFixed(1)}`).join(" ");
  const label = `${title}: from ${figure(values[0])} to ${figure(values.at(-1))}, at most ${figure(high)}`;
  return h("figure", { class: "chart", data: { chart: "line" } },
    h("figcaption", {}, title, h("span", { class: "fine" }, ` at most ${figure(high)}`)),
    svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "line", role: "img", "aria-label": label },
      [0.25, 0.5, 0.75, 1].map((share) => svg("line", { class: "rule", x1: 8, x2: WIDE - 8, y1: y(low + (high - low) * share), y2: y(low + (high - low) * share) })),
      svg("line", { class: "axis", x1: 8, x2: WIDE - 8, y1: y(low), y2: y(low) }),
      svg("path", { class: "curve", d: path }),
      points.length <= 60 ? points.map(([when, value]) => svg("circle", { cx: x(when).toFixed(1), cy: y(value).toFixed(1), r: 3 })) : []),
    h("p", { class: "axis-names fine" }, ends(first, last).map((words) => h("span", {}, words))));
}
