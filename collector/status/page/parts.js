/* Parts that the views of a listener, of a sink and of the program share. */

import {el, setChildren, setText, stateMark, wordLink} from "./dom.js";
import * as format from "./format.js";
import {helpOf} from "./graphs.js";
import {total} from "./model.js";

export function backLink() {
  return el("a", {class: "back", href: "#/"}, "← All listeners and sinks");
}

/* The name, the kind and the state. */
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
 * A sum of the ledger, as the program prints it: `left` = the sum of `right`, without terms that
 * are 0, except the first ones and in_flight.
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

/* Every term with its count and its meaning. */
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

  /* Shows the columns that are not 0, and those of `always`. */
  update(model, row, columns, always) {
    setChildren(this.body, columns
      .filter((column) => always.includes(column) || total(row, column) !== 0)
      .map((column) => this.line(model, row, column)));
  }

  line(model, row, column) {
    if (!this.lines.has(column)) {
      const value = el("td", {"data-term": column});
      const group = column.replace(/^reasons\./, "").split(".").slice(0, -1).join(" ");
      const node = el("tr", {},
        el("th", {scope: "row", class: "left name"}, `${group}${group === "" ? "" : " "}`,
          wordLink(column.split(".").at(-1))), value,
        el("td", {class: "why"}, helpOf(model, this.kind, column)));
      this.lines.set(column, {node, value});
    }
    const {node, value} = this.lines.get(column);
    setText(value, format.count(row[column] === null ? null : total(row, column)));
    return node;
  }
}

/* Names and values that are not in the ledger. */
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

/* The terms of a row of the ledger, in its order; a count that is not known is null. */
export function termsOf({index, ...row}) {
  return Object.keys(row).filter((term) => typeof row[term] === "number" || row[term] === null);
}

/* Settings and their origins; those that are not defaults are highlighted. */
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
