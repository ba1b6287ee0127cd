/* The states of listeners and sinks, and their order: the worst first. */

import * as format from "./format.js";

/* A listener or sink with at least this `need` loses, fails or waits. */
const NEEDS_ATTENTION = 100;

const found = new WeakMap(); // for each event: the rows of each kind, with their states

function lossState(lost) {
  if (lost === null)
    return ["waiting", "not known yet"];
  return lost.count > 0 ? ["warn", `losing ${format.short(lost.count / lost.seconds)}/s`]
    : ["good", "ok"];
}

function ofListener(model, row) {
  const lost = row.retired ? null : model.lostLately(row, model.listenerLosses([row]));
  if (row.retired)
    return {row, lost, state: ["waiting", "retired"], need: -1};
  const gone = model.listenerLevel(row.name)?.group_lost ?? false;
  return {row, lost, state: gone ? ["bad", "group_lost"] : lossState(lost),
    need: needOfLoss(lost) + (gone ? 500 : 0)};
}

function sinkState(level, lost) {
  if (level.ended)
    return ["bad", "ended"];
  if (level.failing_seconds > 0)
    return ["bad", `failing for ${format.lasting(level.failing_seconds)}`];
  if (level.waiting_seconds >= 1)
    return ["warn", `waiting for ${format.lasting(level.waiting_seconds)}`];
  return lossState(lost);
}

function ofSink(model, row) {
  const level = model.sinkLevel(row.name);
  if (row.retired || level === null)
    return {row, level: null, lost: null, state: ["waiting", "retired"], need: -1};
  const lost = model.lostLately(row, model.sinkLosses());
  const fails = level.ended || level.failing_seconds > 0;
  const waits = level.waiting_seconds >= 1;
  return {row, level, lost, state: sinkState(level, lost),
    need: needOfLoss(lost) + (fails ? 500 : waits ? 200 : 0) + fullest(model, row, level)};
}

/* Uses the power of two of the loss, so that the order does not change every second. */
function needOfLoss(lost) {
  return lost === null || lost.count === 0 ? 0 : 1000 + Math.floor(Math.log2(lost.count));
}

/* 0 to 5: how full the queue was in the last ten seconds. */
function fullest(model, row, level) {
  const past = model.rings.seconds.values(row.series, "queue_fill").slice(-10);
  const most = Math.max(level.queue_fill, ...past.filter(Number.isFinite).map((fill) => fill / 1000));
  return Math.floor(5 * most);
}

/*
 * The rows of "listeners" or "sinks" as {row, lost, state: [name, word], need}, a sink's with its
 * level. The order: rows that lose, then those that fail, that wait, and those with the fullest
 * queues; otherwise as configured.
 */
export function worstFirst(model, kind) {
  if (!found.has(model.now))
    found.set(model.now, {});
  const known = found.get(model.now);
  known[kind] ??= model.rows(kind)
    .map((row) => (kind === "listeners" ? ofListener(model, row) : ofSink(model, row)))
    .sort((a, b) => b.need - a.need || a.row.index - b.row.index);
  return known[kind];
}

/* The listeners and sinks that lose, fail or wait. */
export function inNeed(model) {
  return ["listeners", "sinks"]
    .flatMap((kind) => worstFirst(model, kind).map((each) => ({...each, kind})))
    .filter(({need}) => need >= NEEDS_ATTENTION)
    .sort((a, b) => b.need - a.need);
}

/* The state of one listener or sink: [name, word]. */
export function stateOf(model, kind, row) {
  return worstFirst(model, kind).find((each) => each.row.series === row.series).state;
}
