/* The view of one sink. */

import {el} from "./dom.js";
import * as format from "./format.js";
import * as graphs from "./graphs.js";
import {deliveryFacts, Reasons} from "./health.js";
import {backLink, Facts, Head, section, Settings, Sum, Terms, termsOf} from "./parts.js";
import {stateOf} from "./states.js";

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

function ofLimit(count, limit) {
  return `${format.count(count)} of ${format.count(limit)}`;
}

/* "failing for 134 s, since 14:02:10: connection refused" */
function destination(model, level) {
  const since = (seconds) => `for ${format.lasting(seconds)}, since ` +
    format.clock(model.now.time - seconds * 1000);
  const error = level.error === "" ? "" : `: ${level.error}`;
  if (level.failing_seconds > 0)
    return `failing ${since(level.failing_seconds)}${error}`;
  return level.waiting_seconds < 1 ? `accepts data${error}`
    : `has not accepted data ${since(level.waiting_seconds)}${error}`;
}

/* "connection refused; over since 14:02:22, after 12 s" */
function pastError(model, level) {
  if (level.past_error === "" || level.error !== "")
    return {};
  const ended = format.clock(model.now.time - level.past_error_ended_seconds * 1000);
  return {"last error": `${level.past_error}; over since ${ended}, after ` +
    format.lasting(level.past_error_seconds)};
}

/* The age of the oldest record; measured only for records that a delivery has in memory. */
function oldest(row, level) {
  if (level.oldest_seconds > 0)
    return `waits for its answer for ${format.lasting(level.oldest_seconds)}`;
  return (row.spilled ?? 0) > 0 ? "in the spill; its age is not measured" : "none waits";
}

function spill(model, level) {
  if (level.spill_limit_bytes === 0)
    return {};
  const seconds = model.secondsUntilFull(level);
  return {
    "spill": `${format.bytes(level.spill_bytes)} of ${format.bytes(level.spill_limit_bytes)}`,
    ...(seconds === null ? {}
      : {"spill full in": `${format.lasting(seconds)}, at the rate of the last minute`}),
  };
}

/* "192.0.2.7 (812), 192.0.2.9 (3)" */
function list(items, name, count) {
  return items.filter((item) => item[count] > 0)
    .map((item) => `${item[name]} (${format.count(item[count])})`).join(", ");
}

/* The series of a sink with limits, and where new and refused ones come from. */
function series({series: limits}) {
  if (limits === undefined)
    return {};
  const facts = limits.limit === 0 ? {} : {
    "series": ofLimit(limits.known, limits.limit),
    "senders of refused series": list(limits.senders, "address", "refused"),
    "senders of new series": list(limits.senders, "address", "new"),
    "labels with the most values": list(limits.labels, "name", "values"),
  };
  facts["senders out of time"] = list(limits.out_of_time, "address", "samples");
  return Object.fromEntries(Object.entries(facts).filter(([, text]) => text !== ""));
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
      graphs.queues(row.series), graphs.writeTime(row.series), graphs.bytesWritten(row.series, pick),
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
    this.head.update(stateOf(model, "sinks", row));
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
      "queue fill": format.percent(level.queue_fill),
      "batches in the queue": ofLimit(level.queue_batches, level.queue_limit_batches),
      "large batches in the queue":
        ofLimit(level.queue_large_batches, level.queue_large_limit_batches),
      "in flight": `${format.count(row.in_flight)} records`,
      "destination": destination(model, level),
      ...pastError(model, level),
      "oldest record": oldest(row, level),
      ...figures(level),
      ...spill(model, level),
      ...series(level),
    };
  }
}
