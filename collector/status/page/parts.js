/* What the views of one listener, of one sink and of the program have in common. */

import {el, setChildren, setText, stateMark} from "./dom.js";
import * as format from "./format.js";
import {helpOf} from "./graphs.js";
import {total} from "./model.js";

export function backLink() {
  return el("a", {class: "back", href: "#/"}, "← All listeners and sinks");
}

/* The name, what it is, and its state. */
export class Head {
  constructor(name, kind) {
    this.mark = stateMark();
    this.node = el("div", {class: "head"}, el("h2", {class: "name"}, name),
      el("span", {class: "mixed"}, kind), this.mark.node);
  }

  update([state, word]) {
    this.mark.set(state, word);
  }
}

/*
 * A sum of the ledger, as it prints it: `left` = the sum of `right`, terms that are 0 left out
 * where the sum can be read without them.
 */
export class Sum {
  constructor(left, right) {
    this.left = left;
    this.right = right;
    this.node = el("p", {class: "sum"});
  }

  update(row) {
    const named = (column) => `${column.split(".").at(-1).replace("in_assembly", "in assembly")
      .replace("in_flight", "in flight")} ${format.count(total(row, column))}`;
    const side = ([first, ...others], always) => [first,
      ...others.filter((column) => total(row, column) !== 0 || column === always)]
      .map(named).join(" + ");
    setText(this.node, `${side(this.left)} = ${side(this.right, "in_flight")}`);
  }
}

/* Every term with its count and what it means. */
export class Terms {
  constructor(caption, kind) {
    this.kind = kind;
    this.lines = new Map();
    this.body = el("tbody");
    this.node = el("table", {class: "terms"}, el("caption", {class: "hidden"}, caption),
      el("thead", {}, el("tr", {}, el("th", {scope: "col", class: "left col-term"}, "Term"),
        el("th", {scope: "col", class: "col-count"}, "Count"),
        el("th", {scope: "col", class: "left why"}, "Meaning"))), this.body);
  }

  /* The columns that are not 0, and those of `always`. */
  update(model, row, columns, always) {
    setChildren(this.body, columns
      .filter((column) => always.includes(column) || total(row, column) !== 0)
      .map((column) => this.line(model, row, column)));
  }

  line(model, row, column) {
    if (!this.lines.has(column)) {
      const value = el("td", {"data-term": column});
      const node = el("tr", {},
        el("th", {scope: "row", class: "left name"}, column.replace(/^reasons\./, "").replace(".", " ")), value,
        el("td", {class: "why"}, helpOf(model, this.kind, column)));
      this.lines.set(column, {node, value});
    }
    const {node, value} = this.lines.get(column);
    setText(value, format.count(row[column] === null ? null : total(row, column)));
    return node;
  }
}

/* Names and values: how things stand beside the ledger. */
export class Facts {
  constructor(caption) {
    this.body = el("tbody");
    this.lines = new Map();
    this.node = el("table", {class: "terms"}, el("caption", {class: "hidden"}, caption),
      el("thead", {class: "hidden"}, el("tr", {}, el("th", {scope: "col"}, "What"),
        el("th", {scope: "col"}, "Now"))), this.body);
  }

  update(facts) {
    setChildren(this.body, Object.entries(facts).map(([name, text]) => {
      if (!this.lines.has(name)) {
        const value = el("td");
        this.lines.set(name, {value, node: el("tr", {},
          el("th", {scope: "row", class: "left"}, name), value)});
      }
      const {node, value} = this.lines.get(name);
      setText(value, text);
      return node;
    }));
  }
}

/* The terms that a row of the ledger has, in its order; of a count that nobody knows it says null. */
export function termsOf({index, ...row}) {
  return Object.keys(row).filter((term) => typeof row[term] === "number" || row[term] === null);
}

/* What is set, and where it comes from; what is not a default stands out. */
export class Settings {
  constructor(caption) {
    this.body = el("tbody");
    this.node = el("table", {class: "settings"}, el("caption", {class: "hidden"}, caption),
      el("thead", {}, el("tr", {}, el("th", {scope: "col", class: "left col-key"}, "Key"),
        el("th", {scope: "col", class: "left"}, "Value"),
        el("th", {scope: "col", class: "left col-from"}, "From"))), this.body);
    this.shown = null;
  }

  update(settings) {
    if (settings === this.shown)
      return;
    this.shown = settings;
    this.body.replaceChildren(...settings.map(({key, value, from, schema}) =>
      el("tr", {class: from === "default" ? "default" : null},
        el("th", {scope: "row", class: "left name"},
          schema === undefined || schema === 1 ? key : `${key} (schema ${schema})`),
        el("td", {class: "name"}, value === null ? "(not shown: it may be a secret)" : value),
        el("td", {class: "why"}, from))));
  }
}

export function section(title, ...content) {
  return el("section", {"aria-label": title}, el("h3", {}, title),
    el("div", {class: "card"}, ...content));
}
