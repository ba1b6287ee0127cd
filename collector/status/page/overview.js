/* The first view: all listeners and sinks. */

import {el, setAttribute, setText} from "./dom.js";
import * as format from "./format.js";
import * as graphs from "./graphs.js";
import {InNeed, Reasons} from "./health.js";
import {quantileRange} from "./model.js";
import {LoserTable, ListenerTable, SenderTable, SinkTable} from "./tables.js";

const SENDERS = 8;
const ALL_LISTENERS = "listeners.all";
const ALL_SINKS = "sinks.all";
const all = (rows) => rows;

/* --- figures ------------------------------------------------------------------------------------- */

class Tile {
  constructor(label, unit) {
    this.value = el("b", {}, "–");
    this.beside = el("div", {class: "beside"}, "–");
    this.node = el("div", {class: "tile card"}, el("dt", {}, label),
      el("dd", {}, el("div", {class: "figure"}, this.value, el("span", {}, unit)), this.beside));
  }

  set(value, beside, state = null) {
    setText(this.value, value);
    setText(this.beside, beside);
    setAttribute(this.beside, "title", beside);
    setAttribute(this.node, "data-state", state);
  }
}

class Tiles {
  constructor() {
    this.received = new Tile("Received", "datagrams/s");
    this.lostBefore = new Tile("Lost before decoding", "datagrams/s");
    this.written = new Tile("Written, all sinks", "records/s");
    this.lostAfter = new Tile("Lost after decoding", "records/s");
    this.queue = new Tile("Queue fill", "of the fullest queue");
    this.latency = new Tile("Decode latency", "p99, last 10 s");
    this.node = el("dl", {class: "tiles"}, ...[this.received, this.lostBefore, this.written,
      this.lostAfter, this.queue, this.latency].map((tile) => tile.node));
  }

  update(model) {
    const ring = model.rings.seconds;
    const last = (series, column) => ring.rates(series, column).at(-1) || 0;
    const listeners = model.rows("listeners");
    const sinks = model.rows("sinks");
    const sum = (rows, columns) => rows.reduce((all, row) =>
      all + columns.reduce((part, column) => part + countOf(row, column), 0), 0);
    const before = model.listenerLosses(listeners);
    const after = model.sinkLosses();
    const rate = (series, columns) =>
      columns.reduce((all, column) => all + last(series, column), 0);

    this.received.set(format.short(last(ALL_LISTENERS, "received")),
      `${format.count(sum(listeners, ["received"]))} in all`);
    this.setLoss(this.lostBefore, rate(ALL_LISTENERS, before), sum(listeners, before));
    this.written.set(format.short(last(ALL_SINKS, "written")),
      `${format.count(sum(sinks, ["written"]))} in all`);
    this.setLoss(this.lostAfter, rate(ALL_SINKS, after), sum(sinks, after));
    this.setQueue(model);
    this.setLatency(model, ring);
  }

  setLoss(tile, rate, sum) {
    tile.set(format.short(rate), `${format.count(sum)} in all`, rate > 0 ? "bad" : null);
  }

  setQueue(model) {
    const fullest = model.now.levels.sinks.map((level) =>
      ({name: level.name, share: level.queue_fill}))
      .reduce((a, b) => (b.share > a.share ? b : a), {name: "there is no sink", share: -1});
    this.queue.set(fullest.share < 0 ? "–" : format.percent(fullest.share), fullest.name,
      fullest.share > 0.8 ? "bad" : null);
  }

  setLatency(model, ring) {
    const end = ring.slots.length;
    const within = (share) => {
      const range = quantileRange(
        ring.ranges("decode", "decode_latency", model.rangeCount, end - 10, end), share);
      const bound = range < 0 ? undefined : model.bound(range);
      return range < 0 ? "–" : bound === null ? "> 30 s" : `≤ ${format.duration(bound)}`;
    };
    this.latency.set(within(0.99), `p50 ${within(0.5)}`);
  }
}

function countOf(row, column) {
  const [group, name] = column.split(".");
  return (name === undefined ? row[group] : row[group]?.[name]) ?? 0;
}

/* --- the view ---------------------------------------------------------------------------------- */

export class Overview {
  constructor() {
    this.title = "Sluice: overview";
    this.reasons = new Reasons(true);
    this.need = new InNeed();
    this.tiles = new Tiles();
    this.graphs = [
      graphs.received(ALL_LISTENERS, all), graphs.writtenByEach(),
      graphs.datagramsLost(ALL_LISTENERS, all), graphs.recordsLost(ALL_SINKS, all),
      graphs.queues(), graphs.decodeLatency(), graphs.writeTime(ALL_SINKS),
      graphs.bytesReceived(ALL_LISTENERS, all), graphs.bytesWritten(ALL_SINKS, all),
      graphs.waiting(ALL_SINKS, all),
    ];
    this.listeners = new ListenerTable();
    this.sinks = new SinkTable();
    this.senders = new SenderTable();
    this.losers = new LoserTable();
    const section = (id, title, ...content) => el("section", {"aria-labelledby": id},
      el("h2", {id}, title), ...content);
    this.node = el("div", {},
      el("section", {class: "card", "aria-label": "Health"}, this.reasons.node),
      section("need", "Losing, failing or waiting now",
        el("div", {class: "card"}, this.need.node)),
      el("section", {"aria-label": "Now"}, this.tiles.node),
      section("listeners", "Listeners", el("div", {class: "card"}, this.listeners.node)),
      section("sinks", "Sinks", el("div", {class: "card"}, this.sinks.node)),
      el("h2", {class: "hidden"}, "Graphs"),
      el("section", {class: "graphs", "aria-label": "Graphs"},
        ...this.graphs.map((graph) => graph.node)),
      el("div", {class: "pair"},
        section("senders", "Busiest senders", el("div", {class: "card eight"},
          this.senders.node, el("p", {}, el("a", {href: "#/senders"}, "All senders")))),
        section("losers", "Senders with sequence gaps",
          el("div", {class: "card eight"}, this.losers.node))));
  }

  fits() {
    return true;
  }

  update(model, range) {
    this.reasons.update(model);
    this.need.update(model);
    this.tiles.update(model);
    for (const graph of this.graphs)
      graph.update(model, range);
    this.listeners.show(model);
    this.sinks.show(model);
    this.senders.show(model, SENDERS);
    this.losers.show(model, SENDERS);
  }
}
