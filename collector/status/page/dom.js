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

/* The same for an attribute; null removes it. */
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
