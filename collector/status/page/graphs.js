/* All graphs, each of a listener, of a sink, or of all of them. */

import {HeatGraph, LineGraph, StackGraph} from "./charts.js";
import * as format from "./format.js";
import {total} from "./model.js";
import {worstFirst} from "./states.js";

const MOST = 5; // sinks in a graph that has a line for each

/* The name of a column: malformed for "reasons.malformed". */
function nameOf(column) {
  return column.slice(column.indexOf(".") + 1);
}

function sumOf(rows, column) {
  return format.count(rows.reduce((sum, row) => sum + total(row, column), 0));
}

/* The help of a column: for a term a sentence, for a reason its meaning and remedy. */
export function helpOf(model, kind, column) {
  const [group, name] = column.split(".");
  const {words} = model.first;
  if (name === undefined)
    return words[kind === "listeners" ? "listener" : "sink"][group] ?? "";
  const {what, remedy} = words[group][name];
  return remedy === "" ? what : `${what}; ${remedy}`;
}

/* A line for the rows that `pick` selects from all listeners, or sinks. */
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

/* The columns of losses, as parts of a stack. */
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

/* Sequence numbers that are missing, duplicated, reordered or late. */
export function numbers(series, pick) {
  const line = (column) => lineOf("listeners", series, pick, column);
  return new LineGraph({series, title: "Sequence gaps/s", unit: "by kind", most: 4,
    lines: lines(line("lost"), line("duplicated"), line("reordered"), line("late"))});
}

export function decodeLatency() {
  return new HeatGraph({title: "Decode latency", unit: "of all receivers",
    series: "decode", group: "decode_latency",
    help: "From the arrival of a datagram until it was decoded, noted once for each quantum of a " +
      "socket. Darker: more; the line is the 99th percentile."});
}

/* --- sinks ------------------------------------------------------------------------------------- */

export function written(series, pick) {
  const line = (column) => lineOf("sinks", series, pick, column);
  return new LineGraph({series, title: "Records", unit: "records/s", most: 3,
    lines: lines(line("offered"), line("written"), line("filtered"))});
}

/* The sinks that a graph with a line for each shows: the worst first. */
function shownSinks(model) {
  return worstFirst(model, "sinks").map(({row}) => row).filter((row) => !row.retired);
}

/* The unit of such a graph, with the number of sinks that it does not show. */
function unitOfWorst(unit) {
  return (model) => {
    const {length} = shownSinks(model);
    return length > MOST ? `${unit}, worst ${MOST} of ${length} sinks` : `${unit}, by sink`;
  };
}

/* A line for each of the worst sinks. */
export function writtenByEach() {
  return new LineGraph({title: "Written", unit: unitOfWorst("records/s"), lines: (model, ring) =>
    shownSinks(model).filter((row) => ring.has(row.series))
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

/* How full the queues are; of the worst sinks, or of one series. */
export function queues(series = null) {
  const ofOne = (model) => model.rows("sinks").filter((row) => row.series === series);
  return new LineGraph({series, title: "Queue fill", most: series === null ? MOST : 1, top: 1,
    unit: series === null ? unitOfWorst("of the usable room") : "of the usable room",
    show: format.percent, lines: (model, ring) =>
      (series === null ? shownSinks(model) : ofOne(model)).filter((row) => ring.has(row.series))
        .map((row) => ({name: row.name,
          values: ring.values(row.series, "queue_fill").map((fill) => fill / 1000)}))});
}

/* Records whose outcome is not known yet, and those in a spill. */
export function waiting(series, pick) {
  const level = (column, name) => (model, ring) => ({
    name, values: ring.values(series, column), total: sumOf(pick(model.rows("sinks")), column),
    help: helpOf(model, "sinks", column)});
  return new LineGraph({series, title: "In flight", unit: "records", most: 2,
    lines: lines(level("in_flight", "in_flight"), level("spilled", "spilled"))});
}

export function writeTime(series) {
  return new HeatGraph({title: "Write time", unit: "of a block", series,
    group: "write_time",
    help: "From the first attempt to write a block until it was written, including waits and " +
      "retries. Darker: more; the line is the 99th percentile."});
}
