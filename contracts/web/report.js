// A report out of the tree that the server sends: known elements, text, and nothing else.

import { clean, h } from "./dom.js";

const TAGS = new Set(["h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong",
  "hr", "br", "table", "thead", "tbody", "tr", "th", "td"]);

export function reportNodes(tree, cite) {
  return tree.map((node) => build(node, cite));
}

function build(node, cite) {
  if (typeof node === "string") return document.createTextNode(clean(node));
  const kids = (node.kids || []).map((kid) => build(kid, cite));
  if (node.tag === "a" && node.cite !== undefined) return cite(node.cite);
  if (node.tag === "a") return h("a", { href: node.href || "" }, kids);
  if (node.tag === "table") return h("div", { class: "scroll", tabindex: "0", role: "region", aria: { label: "Table" } }, h("table", {}, kids));
  const tag = node.tag === "h1" ? "h2" : node.tag;
  return TAGS.has(tag) ? h(tag, {}, kids) : h("span", {}, kids);
}
