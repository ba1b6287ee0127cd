/* The view of one listener. */

import {el} from "./dom.js";
import * as format from "./format.js";
import * as graphs from "./graphs.js";
import {Reasons} from "./health.js";
import {backLink, Facts, Head, section, Settings, Sum, Terms, termsOf} from "./parts.js";
import {stateOf} from "./states.js";
import {LoserTable, SenderTable} from "./tables.js";

const SENDERS = 16;
const ALWAYS = ["received", "decoded", "messages", "bytes", "kernel_drops"];

export class ListenerView {
  constructor(model, row) {
    const pick = (rows) => rows.filter((each) => each.index === row.index);
    this.index = row.index;
    this.title = `Sluice: ${row.name}`;
    this.head = new Head(row.name, `${row.kind}, ${row.schema}`);
    this.reasons = new Reasons();
    this.columns = Object.keys(model.first.words.reasons).map((name) => `reasons.${name}`);
    this.sum = new Sum(["received"], ["decoded", ...this.columns, "in_assembly"]);
    this.graphs = [graphs.received(row.series, pick), graphs.datagramsLost(row.series, pick),
      graphs.bytesReceived(row.series, pick), graphs.numbers(row.series, pick)];
    this.terms = new Terms("Ledger of the listener", "listeners");
    this.facts = new Facts("Sockets and connections of the listener");
    this.settings = new Settings("Settings of the listener");
    this.senders = new SenderTable();
    this.losers = new LoserTable();
    this.node = el("div", {}, backLink(), this.head.node,
      el("section", {class: "card", "aria-label": "Sum and health"}, this.sum.node,
        this.reasons.node),
      el("section", {class: "graphs", "aria-label": "Graphs"},
        ...this.graphs.map((graph) => graph.node)),
      el("div", {class: "pair"},
        el("div", {}, section("Ledger", this.terms.node), section("Sockets", this.facts.node)),
        section("Settings", this.settings.node)),
      el("div", {class: "pair"}, section("Busiest senders", this.senders.node),
        section("Senders with sequence gaps", this.losers.node)));
  }

  row(model) {
    return model.rows("listeners").find((row) => row.index === this.index);
  }

  fits(model) {
    return this.row(model) !== undefined;
  }

  update(model, range) {
    const row = this.row(model);
    this.head.update(stateOf(model, "listeners", row));
    this.sum.update(row);
    this.reasons.update(model, row.name);
    for (const graph of this.graphs)
      graph.update(model, range);
    this.terms.update(model, row, [...termsOf(row), ...this.columns],
      ALWAYS.filter((column) => column in row));
    this.facts.update(this.levels(model, row));
    this.settings.update(model.settings.listeners.find(({name}) => name === row.name)?.settings
      ?? []);
    this.senders.show(model, SENDERS, row.name);
    this.losers.show(model, SENDERS, row.name);
  }

  levels(model, row) {
    const socket = model.listenerLevel(row.name);
    const stream = model.streamLevel(row.name);
    const facts = {};
    if (socket !== null) {
      facts["sockets"] = format.count(socket.sockets);
      facts["receive buffer granted, bytes each"] = format.count(socket.receive_buffer);
      facts["receive buffer requested, bytes each"] = format.count(socket.receive_buffer_asked);
    }
    if (stream !== null) {
      facts["open connections"] = format.count(stream.open);
      facts["open connections at most"] = format.count(stream.open_limit);
    }
    if ("kernel_drops_unit" in row)
      facts["unit of kernel drops"] = row.kernel_drops_unit;
    return facts;
  }
}
