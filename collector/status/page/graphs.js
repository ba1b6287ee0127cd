/* The graphs that there are, each of a listener or a sink, or of all of them. */

import {HeatGraph, LineGraph, StackGraph} from "./charts.js";
import * as format from "./format.js";
import {total} from "./model.js";

/* "reasons.malformed" is called malformed, and kernel_drops what the ledger calls it. */
function nameOf(column) {
  return column.slice(column.indexOf(".") + 1);
}

function sumOf(rows, column) {
  return format.count(rows.reduce((sum, row) => sum + total(row, column), 0));
}

/* What a column's words are: of a term a sentence, of a reason what it means and what to do. */
export function helpOf(model, kind, column) {
  const [group, name] = column.split(".");
  const {words} = model.first;
  if (name === undefined)
    return words[kind === "listeners" ? "listener" : "sink"][group] ?? "";
  const {what, remedy} = words[group][name];
  return remedy === "" ? what : `${what}; ${remedy}`;
}

/* Of the rows that `pick` chooses of all listeners, or sinks. */
function lineOf(kind, series, pick, column) {
  return (model, ring) => ({
    name: nameOf(column),
    values: ring.rates(series, column),
    total: sumOf(pick(model.rows(kind)), column),
    help: helpOf(model, kind, column),
  });
}

function lines(...makers) {
  return (model, ring) => makers.map((make) => make(model, ring));
}

/* The columns of one kind that lost something, as parts of a stack. */
function losses(kind, series, pick) {
  return (model, ring) => {
    const rows = pick(model.rows(kind));
    const columns = kind === "listeners" ? model.listenerLosses(rows) : model.sinkLosses();
    return columns.map((column) => ({
      name: nameOf(column),
      values: ring.rates(series, column),
      total: sumOf(rows, column),
      help: helpOf(model, kind, column),
    }));
  };
}

/* --- listeners --------------------------------------------------------------------------------- */

export function received(series, pick) {
  const line = (column) => lineOf("listeners", series, pick, column);
  return new LineGraph({series, title: "Received", unit: "datagrams/s", most: 2,
    lines: lines(line("received"), line("decoded"))});
}

export function datagramsLost(series, pick) {
  return new StackGraph({series, title: "Lost before decoding", unit: "datagrams/s",
    parts: losses("listeners", series, pick)});
}

export function bytesReceived(series, pick) {
  return new LineGraph({series, title: "Payload", unit: "bytes/s", most: 1,
    lines: lines(lineOf("listeners", series, pick, "bytes"))});
}

/* What the senders' own numbers say is missing, came twice or late. */
export function numbers(series, pick) {
  const line = (column) => lineOf("listeners", series, pick, column);
  return new LineGraph({series, title: "Senders’ numbers", unit: "numbers/s", most: 4,
    lines: lines(line("lost"), line("duplicated"), line("reordered"), line("late"))});
}

export function decodeLatency() {
  return new HeatGraph({title: "Decode latency", unit: "of all receivers",
    series: "decode", group: "decode_latency",
    help: "From the arrival of a datagram until it was decoded, noted once for each quantum of a " +
      "socket. The darker, the more; the line: 99 of 100 were not above it."});
}

/* --- sinks ------------------------------------------------------------------------------------- */

export function written(series, pick) {
  const line = (column) => lineOf("sinks", series, pick, column);
  return new LineGraph({series, title: "Records", unit: "records/s", most: 3,
    lines: lines(line("offered"), line("written"), line("filtered"))});
}

/* Of all sinks, a line each: those that wrote most. */
export function writtenByEach() {
  return new LineGraph({title: "Written", unit: "records/s, by sink", lines: (model, ring) =>
    model.rows("sinks").filter((row) => ring.has(row.series) && !row.retired)
      .map((row) => ({name: row.name, values: ring.rates(row.series, "written"),
        total: format.count(row.written), help: helpOf(model, "sinks", "written")}))});
}

export function recordsLost(series, pick) {
  return new StackGraph({series, title: "Lost after decoding", unit: "records/s",
    parts: losses("sinks", series, pick)});
}

export function bytesWritten(series, pick) {
  return new LineGraph({series, title: "Output", unit: "bytes/s", most: 1,
    lines: lines(lineOf("sinks", series, pick, "bytes"))});
}

/* How full the queues are, in shares of what they hold; of one sink, or of all that there are. */
export function queues(pick, most, series) {
  return new LineGraph({series, title: "Queue level", unit: "batches, of the limit", most, top: 1,
    show: format.percent, lines: (model, ring) =>
      pick(model.rows("sinks")).filter((row) => ring.has(row.series) && !row.retired)
        .map((row) => {
          const level = model.sinkLevel(row.name);
          const most = level?.queue_limit_batches || 1;
          return {name: row.name,
            values: ring.values(row.series, "queue_batches").map((value) => value / most),
            total: `of ${format.count(most)}`};
        })});
}

/* A delivery's records whose fate is not known, and those that wait on disk. */
export function waiting(series, pick) {
  const level = (column, name) => (model, ring) => ({
    name, values: ring.values(series, column), total: sumOf(pick(model.rows("sinks")), column),
    help: helpOf(model, "sinks", column)});
  return new LineGraph({series, title: "On their way", unit: "records", most: 2,
    lines: lines(level("in_flight", "in_flight"), level("spilled", "spilled"))});
}

export function writeTime(series) {
  return new HeatGraph({title: "Write time", unit: "of a block", series,
    group: "write_time",
    help: "From the first try to write a block until it was out, with all waits and retries. The " +
      "darker, the more; the line: 99 of 100 were not above it."});
}
