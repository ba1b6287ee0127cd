/* The view of one sink. */

import {el} from "./dom.js";
import * as format from "./format.js";
import * as graphs from "./graphs.js";
import {Reasons} from "./overview.js";
import {backLink, Facts, Head, section, Settings, Sum, Terms, termsOf} from "./parts.js";
import {sinkState} from "./tables.js";

const ALWAYS = ["offered", "queued", "written", "lines", "samples", "bytes"];

/* The figures of a delivery's connections and requests, named as its metrics. */
function figures(level) {
  const facts = {};
  for (const [name, value] of Object.entries(level.figures)) {
    const seconds = name.endsWith("_seconds");
    const label = (seconds ? name.slice(0, -"_seconds".length) : name).replaceAll("_", " ");
    facts[label] = seconds ? format.duration(value * 1e9) : format.count(value);
  }
  for (const [name, value] of Object.entries(level.answers))
    facts[`answers ${name}`] = format.count(value);
  return facts;
}

export class SinkView {
  constructor(model, row) {
    const pick = (rows) => rows.filter((each) => each.index === row.index);
    const named = (group) => Object.keys(model.first.words[group]).map((name) => `${group}.${name}`);
    this.index = row.index;
    this.title = `Sluice: ${row.name}`;
    this.head = new Head(row.name, "sink");
    this.reasons = new Reasons();
    this.columns = [...named("refused"), ...named("failed")];
    this.offered = new Sum(["offered"], ["queued", ...named("refused")]);
    this.queued = new Sum(["queued", "recovered"], ["written", "filtered", "evicted",
      ...named("failed"), "unknown", "spilled", "in_flight"]);
    this.graphs = [graphs.written(row.series, pick), graphs.recordsLost(row.series, pick),
      graphs.queues(pick, 1, row.series), graphs.writeTime(row.series), graphs.bytesWritten(row.series, pick),
      graphs.waiting(row.series, pick)];
    this.terms = new Terms("Ledger of the sink", "sinks");
    this.facts = new Facts("Queue and destination of the sink");
    this.settings = new Settings("Settings of the sink");
    this.node = el("div", {}, backLink(), this.head.node,
      el("section", {class: "card", "aria-label": "Sums and health"}, this.offered.node,
        this.queued.node, this.reasons.node),
      el("section", {class: "graphs six", "aria-label": "Graphs"},
        ...this.graphs.map((graph) => graph.node)),
      el("div", {class: "pair"},
        el("div", {}, section("Ledger", this.terms.node),
          section("Queue and destination", this.facts.node)),
        section("Settings", this.settings.node)));
  }

  row(model) {
    return model.rows("sinks").find((row) => row.index === this.index);
  }

  fits(model) {
    return this.row(model) !== undefined;
  }

  update(model, range) {
    const row = this.row(model);
    this.head.update(sinkState(model, row));
    this.offered.update(row);
    this.queued.update(row);
    this.reasons.update(model, row.name);
    for (const graph of this.graphs)
      graph.update(model, range);
    this.terms.update(model, row, [...termsOf(row), ...this.columns], ALWAYS);
    this.facts.update(this.levels(model, row));
    this.settings.update(model.settings.sinks.find(({name}) => name === row.name)?.settings ?? []);
  }

  levels(model, row) {
    const level = model.sinkLevel(row.name);
    if (level === null)
      return {"retired": "it gets no more records"};
    return {
      "batches waiting": format.count(level.queue_batches),
      "batches at most": format.count(level.queue_limit_batches),
      "large batches waiting": format.count(level.queue_large_batches),
      "large batches at most": format.count(level.queue_large_limit_batches),
      "records in flight": format.count(row.in_flight),
      "waiting for the destination": format.uptime(level.waiting_seconds),
      "destination failing": format.uptime(level.failing_seconds),
      "age of the oldest record": format.uptime(level.oldest_seconds),
      ...figures(level),
      ...(level.spill_limit_bytes === 0 ? {} : {
        "bytes in the spill": format.count(level.spill_bytes),
        "bytes in the spill at most": format.count(level.spill_limit_bytes),
      }),
    };
  }
}
