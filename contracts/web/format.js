// Numbers and times in words; figures are tabular by style.

const integer = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const count = (value) => integer.format(value || 0);
export const some = (value) => compact.format(value || 0);
export const plural = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

export function money(value) {
  const dollars = Number(value) || 0;
  if (dollars === 0) return "$0";
  return dollars < 0.01 ? `$${dollars.toFixed(4)}` : `$${dollars.toFixed(2)}`;
}

export function bytes(value) {
  const size = Number(value) || 0;
  if (size < 1024) return `${size} B`;
  if (size < 1024 ** 2) return `${(size / 1024).toFixed(1)} KB`;
  return `${(size / 1024 ** 2).toFixed(1)} MB`;
}

export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, "0")} min`;
}

export function between(from, to) {
  if (!from) return "";
  return duration((new Date(to || Date.now()) - new Date(from)) / 1000);
}

export function ago(moment) {
  if (!moment) return "";
  const seconds = (Date.now() - new Date(moment)) / 1000;
  if (seconds < 45) return "just now";
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 86400) return `${Math.round(seconds / 3600)} h ago`;
  if (seconds < 14 * 86400) return plural(Math.round(seconds / 86400), "day") + " ago";
  return day(moment);
}

export const day = (moment) =>
  new Date(moment).toLocaleDateString("en", { year: "numeric", month: "short", day: "numeric" });

export const full = (moment) =>
  new Date(moment).toLocaleString("en", { dateStyle: "medium", timeStyle: "medium" });

export const clock = (moment) =>
  new Date(moment).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

export const percent = (value) => `${Math.round((Number(value) || 0) * 100)}%`;
export const words = (name) => String(name).replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());
