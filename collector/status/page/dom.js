/* Elements and their text. Text is never parsed as markup, because senders choose some of it. */

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined)
      continue;
    node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

/* An HTML element with attributes and children, which are nodes or text. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/* Sets the text of a node if it differs. */
export function setText(node, text) {
  if (node.textContent !== text)
    node.textContent = text;
}

/* Sets an attribute of a node if it differs; null removes the attribute. */
export function setAttribute(node, name, value) {
  if (value === null) {
    if (node.hasAttribute(name))
      node.removeAttribute(name);
  } else if (node.getAttribute(name) !== value) {
    node.setAttribute(name, value);
  }
}

/* Gives `parent` exactly these children in this order, without moving those already in place. */
export function setChildren(parent, children) {
  children.forEach((child, at) => {
    if (parent.children[at] !== child)
      parent.insertBefore(child, parent.children[at] ?? null);
  });
  while (parent.children.length > children.length)
    parent.lastElementChild.remove();
}

const STEADY = 15; // updates, of which there is one a second

/*
 * Keeps the height of an element at that of its tallest content in the last seconds, so that a line
 * that comes and goes moves nothing below it.
 */
export class SteadyHeight {
  constructor(node) {
    this.node = node;
    this.width = 0;
    this.heights = [];
  }

  update() {
    const {node} = this;
    if (this.width !== node.clientWidth)
      this.heights = [];
    this.width = node.clientWidth;
    node.style.minHeight = "";
    this.heights = [...this.heights, node.offsetHeight].slice(-STEADY);
    node.style.minHeight = `${Math.max(...this.heights)}px`;
  }
}

const TAIL = 14; // characters of a name that are always visible (style.css)

/*
 * A name, such as that of the sink "file:/var/log/x.ndjson". Where there is not enough room it is
 * cut in its middle, because names often differ only at their end.
 */
export function cutName(tag = "span", attributes = {}) {
  const head = el("span", {class: "cut-head"});
  const tail = el("span");
  const node = el(tag, {...attributes, class: "cut"}, head, tail);
  return {
    node,
    set(text) {
      const at = text.length > TAIL + 4 ? text.length - TAIL : 0;
      setText(head, text.slice(0, at));
      setText(tail, text.slice(at));
      setAttribute(node, "class", text.includes(":") ? "cut name" : "cut");
      setAttribute(node, "title", at > 0 ? text : null);
    },
  };
}

/* A link to the meaning of a word of the program. */
export function wordLink(word) {
  return el("a", {class: "word", href: `#/word/${word}`}, word);
}

/* A state: a shape, a word and a colour. */
export function stateMark() {
  const word = el("span");
  const node = el("span", {class: "state-cell", "data-state": "good"},
    el("span", {class: "sign", "aria-hidden": "true"}), word);
  return {
    node,
    set(state, text) {
      setAttribute(node, "data-state", state);
      setText(word, text);
    },
  };
}
