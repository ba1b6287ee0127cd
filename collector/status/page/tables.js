/* Tables of listeners, sinks and senders. A row is kept as long as its key exists. */

import {el, setAttribute, setChildren, setText, stateMark} from "./dom.js";
import * as format from "./format.js";
import {total} from "./model.js";
import {worstFirst} from "./states.js";

/*
 * A table with a caption only for screen readers. Columns are {label, className}; the first one
 * names the row.
 */
export class Table {
  constructor(caption, columns, empty) {
    this.columns = columns;
    this.rows = new Map();
    this.body = el("tbody", {role: "rowgroup"});
    this.empty = el("p", {class: "empty"}, empty);
    this.table = el("table", {class: "rows", role: "table"},
      el("caption", {class: "hidden"}, caption),
      el("thead", {role: "rowgroup"}, el("tr", {role: "row"},
        ...columns.map(({label, className = "", help = null}) =>
          el("th", {scope: "col", role: "columnheader", class: className, title: help}, label)))),
      this.body);
    this.node = el("div", {}, this.table, this.empty);
  }

  /* `items` are {key, cells}, with a cell for each column; see fill. */
  update(items) {
    for (const key of this.rows.keys())
      if (!items.some((item) => item.key === key))
        this.rows.delete(key);
    setChildren(this.body, items.map(({key, cells}) => {
      if (!this.rows.has(key))
        this.rows.set(key, this.makeRow());
      const row = this.rows.get(key);
      cells.forEach((cell, at) => this.fill(row.cells[at], cell));
      return row.node;
    }));
    this.table.hidden = items.length === 0;
    this.empty.hidden = items.length !== 0;
  }

  makeRow() {
    const cells = this.columns.map(({label, className = ""}, at) => ({
      node: at === 0 ? el("th", {scope: "row", role: "rowheader", class: `left ${className}`})
        : el("td", {role: "cell", class: className, "data-label": label}),
      content: null,
    }));
    return {cells, node: el("tr", {role: "row"}, ...cells.map((cell) => cell.node))};
  }

  /* A text, {text, ...attributes}, or {mark: [state, word]}, {meter: share, text}, {link, text}. */
  fill(cell, value) {
    if (typeof value === "string") {
      setText(cell.node, value);
      return;
    }
    if (cell.content === null)
      cell.content = makeContent(cell.node, value);
    cell.content(value);
  }
}

function makeContent(node, value) {
  if ("mark" in value) {
    const mark = stateMark();
    node.append(mark.node);
    return ({mark: [state, word]}) => mark.set(state, word);
  }
  if ("meter" in value) {
    const bar = el("i");
    const text = el("span");
    node.append(el("span", {class: "meter wide", "aria-hidden": "true"}, bar), text);
    return ({meter, text: said}) => {
      bar.style.transform = `scaleX(${Math.min(meter, 1)})`;
      setText(text, said);
    };
  }
  if ("link" in value) {
    const link = el("a", {class: "name"});
    const beside = el("span", {class: "mark-retired"});
    node.append(link, beside);
    return ({link: to, text, more = ""}) => {
      setAttribute(link, "href", to);
      setText(link, text);
      setText(beside, more);
    };
  }
  const span = el("span");
  node.append(span);
  return ({text, className = null, title = null}) => {
    setText(span, text);
    setAttribute(span, "class", className);
    setAttribute(span, "title", title);
  };
}

/* A count of losses, highlighted if it is not 0. */
function loss(value, title = null) {
  return {text: format.count(value), className: value > 0 ? "lossy" : null, title};
}

/* The nonzero columns, for a title: "kernel_drops 4, malformed 2". */
function which(row, columns) {
  const found = columns.filter((column) => total(row, column) > 0);
  return found.length === 0 ? null
    : found.map((column) => `${column.split(".").at(-1)} ${format.count(total(row, column))}`)
      .join(", ");
}

function sum(row, columns) {
  return columns.reduce((all, column) => all + total(row, column), 0);
}

/* --- listeners ----------------------------------------------------------------------------------- */

export class ListenerTable extends Table {
  constructor() {
    super("Listeners: datagrams", [
      {label: "Listener", className: "left col-name"},
      {label: "Schema", className: "left col-text wide"},
      {label: "State", className: "left col-state"},
      {label: "Received/s"},
      {label: "Received"},
      {label: "Decoded", className: "wide"},
      {label: "Lost", help: "not decoded, or dropped by the kernel before it was received"},
    ], "No listeners.");
  }

  show(model) {
    this.update(worstFirst(model, "listeners").map(({row, state}) => {
      const columns = model.listenerLosses([row]);
      return {key: row.series, cells: [
        {link: `#/listener/${row.index}`, text: row.name},
        {text: row.schema, className: "name"},
        {mark: state},
        format.short(model.rate(row, "received")),
        format.count(row.received),
        format.count(row.decoded),
        loss(sum(row, columns), which(row, columns)),
      ]};
    }));
  }
}

/* --- sinks --------------------------------------------------------------------------------------- */

export class SinkTable extends Table {
  constructor() {
    super("Sinks: records", [
      {label: "Sink", className: "left col-name"},
      {label: "Queue fill", className: "left col-text"},
      {label: "State", className: "left col-state"},
      {label: "Written/s"},
      {label: "Offered", className: "wide"},
      {label: "Written"},
      {label: "Lost", help: "refused, evicted, failed or unknown"},
    ], "No sinks.");
  }

  show(model) {
    this.update(worstFirst(model, "sinks").map(({row, level, state}) => {
      const columns = model.sinkLosses();
      const full = level === null ? 0 : level.queue_fill;
      return {key: row.series, cells: [
        {link: `#/sink/${row.index}`, text: row.name},
        {meter: full, text: format.percent(full)},
        {mark: state},
        format.short(model.rate(row, "written")),
        format.count(row.offered),
        format.count(row.written),
        loss(sum(row, columns), which(row, columns)),
      ]};
    }));
  }
}

/* --- senders ------------------------------------------------------------------------------------- */

function isWanted({address, listener, sender = ""}, wanted) {
  return `${address} ${listener} ${sender}`.toLowerCase().includes(wanted);
}

export class AllSendersTable extends Table {
  constructor() {
    super("Senders, those with most losses first", [
      {label: "Sender", className: "left col-sender"},
      {label: "Listener", className: "left col-of whole"},
      {label: "Lost", help: "sequence numbers that never arrived"},
      {label: "Datagrams/s"},
      {label: "Bytes/s"},
      {label: "Datagrams"},
      {label: "Bytes"},
    ], "No sender found.");
  }

  /* Returns how many senders contain `wanted`; shows `most` of them. */
  show(model, wanted, most) {
    const found = model.sendersByNeed().filter((sender) => isWanted(sender, wanted));
    this.update(found.slice(0, most).map((sender) => ({key: sender.key, cells: [
      {text: sender.address, className: "name"},
      {text: sender.listener, className: "name"},
      sender.numbered === undefined ? {text: "not numbered", className: "mixed"}
        : loss(sender.lost),
      format.short(sender.rate),
      Number.isNaN(sender.byteRate) ? "–" : `${format.bytes(sender.byteRate)}/s`,
      format.count(sender.datagrams),
      format.bytes(sender.bytes),
    ]})));
    return found.length;
  }
}

export class SenderTable extends Table {
  constructor() {
    super("Busiest senders", [
      {label: "Sender", className: "left col-sender"},
      {label: "Listener", className: "left col-of wide"},
      {label: "Datagrams/s"},
      {label: "Datagrams"},
      {label: "Bytes", className: "wide"},
    ], "No sender yet.");
  }

  show(model, most, listener = null) {
    this.update(model.busiest(most, listener).map((sender) => ({key: sender.key, cells: [
      {text: sender.address, className: "name"},
      {text: sender.listener, className: "name"},
      format.short(sender.rate),
      format.count(sender.datagrams),
      format.bytes(sender.bytes),
    ]})));
  }
}

export class LoserTable extends Table {
  constructor() {
    super("Senders with sequence gaps", [
      {label: "Sender", className: "left col-of"},
      {label: "Host", className: "left col-sender"},
      {label: "Lost", help: "sequence numbers that never arrived"},
      {label: "Missing", help: "sequence numbers that may still arrive"},
      {label: "Duplicated", className: "wide"},
    ], "No losses known: only senders that number their datagrams reveal losses of the network.");
  }

  /* Senders that contain `wanted` in their address, name or listener. */
  show(model, most, listener = null, wanted = "") {
    const found = model.losers(most, listener).filter((sender) => isWanted(sender, wanted));
    this.update(found.map((sender) => ({
      key: `${sender.listener} ${sender.address} ${sender.sender}`, cells: [
        {text: sender.sender === "" ? "(no name)" : sender.sender, className: "name"},
        {text: sender.address, className: "name"},
        loss(sender.lost),
        format.count(sender.missing),
        format.count(sender.duplicated),
      ]})));
  }
}
