/*
 * The data from the collector: the present ledger and levels, and rings of the last seconds and
 * minutes. Draws nothing.
 *
 * The name of a series is "listeners.0", "sinks.all" or "decode"; that of a column consists of the
 * ledger's words ("received", "reasons.malformed", "write_time.3").
 */

const SECONDS = 300;
const MINUTES = 60;
const MINUTE_MS = 60000;
const LATELY_MS = 10000; // how long after a loss the state is "losing"

/* The columns of a series of a block, as pairs of a name and an array. */
function* columnsOf(series) {
  for (const [name, value] of Object.entries(series)) {
    if (Array.isArray(value))
      yield [name, value];
    else if (value !== null && typeof value === "object")
      for (const [inner, values] of Object.entries(value))
        yield [`${name}.${inner}`, values];
  }
}

function* seriesOf(block) {
  yield ["decode", block.decode];
  for (const kind of ["listeners", "sinks"])
    for (const series of block[kind])
      yield [`${kind}.${series.index ?? "all"}`, series];
}

class Ring {
  constructor(capacity, isOfMinutes) {
    this.capacity = capacity;
    this.isOfMinutes = isOfMinutes;
    this.slots = []; // {from, to}: milliseconds since the start
    this.series = new Map();
  }

  /* Adds the new slots of a block. Slots that were missed become a gap. */
  add(block) {
    const columns = new Map(Array.from(seriesOf(block),
      ([name, series]) => [name, new Map(columnsOf(series))]));
    block.at.forEach((to, at) => {
      const slot = {from: at === 0 ? block.from : block.at[at - 1], to};
      const last = this.slots.at(-1);
      if (last !== undefined && this.isSame(last, slot))
        this.drop();
      else if (last !== undefined && to <= last.to)
        return;
      else if (last !== undefined && slot.from > last.to)
        this.push({from: last.to, to: slot.from}, null, 0);
      this.push(slot, columns, at);
    });
  }

  /* The present minute is sent again with every event, and replaces its slot. */
  isSame(a, b) {
    const minute = (slot) => Math.floor((slot.to - 1) / MINUTE_MS);
    return this.isOfMinutes && minute(a) === minute(b);
  }

  drop() {
    this.slots.pop();
    for (const columns of this.series.values())
      for (const values of columns.values())
        values.pop();
  }

  push(slot, columns, at) {
    const missing = columns === null ? NaN : 0;
    for (const [name, found] of columns ?? []) {
      if (!this.series.has(name))
        this.series.set(name, new Map());
      for (const column of found.keys())
        if (!this.series.get(name).has(column))
          this.series.get(name).set(column, new Array(this.slots.length).fill(0));
    }
    this.slots.push(slot);
    for (const [name, known] of this.series)
      for (const [column, values] of known)
        values.push(columns?.get(name)?.get(column)?.[at] ?? missing);
    if (this.slots.length > this.capacity)
      this.shift();
  }

  shift() {
    this.slots.shift();
    for (const columns of this.series.values())
      for (const values of columns.values())
        values.shift();
  }

  has(name) {
    return this.series.has(name);
  }

  /* The values of a column, one for each slot. */
  values(name, column) {
    return this.series.get(name)?.get(column) ?? new Array(this.slots.length).fill(0);
  }

  /* The values of a column per second. */
  rates(name, column) {
    const values = this.values(name, column);
    return this.slots.map((slot, at) => values[at] / (Math.max(slot.to - slot.from, 1) / 1000));
  }

  /* The sum of the last `last` slots, by default of all. */
  sum(name, column, last = this.slots.length) {
    return this.values(name, column).slice(-last)
      .reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0);
  }

  /* The columns of a group: for "reasons" those named "reasons.malformed" and the like. */
  group(name, group) {
    return Array.from(this.series.get(name)?.keys() ?? [])
      .filter((column) => column.startsWith(`${group}.`));
  }

  /* The counts of a measure's ranges, summed over the slots `from` to `to`. */
  ranges(name, group, count, from, to) {
    const found = new Array(count).fill(0);
    for (const column of this.group(name, group)) {
      const values = this.values(name, column);
      let sum = 0;
      for (let at = Math.max(from, 0); at < to; at++)
        sum += values[at] || 0;
      found[Number(column.slice(group.length + 1))] = sum;
    }
    return found;
  }
}

/* The range that contains the quantile `share` of all measures; -1: no measures. */
export function quantileRange(ranges, share) {
  const all = ranges.reduce((sum, value) => sum + value, 0);
  if (all === 0)
    return -1;
  let seen = 0;
  for (let at = 0; at < ranges.length; at++) {
    seen += ranges[at];
    if (seen >= all * share)
      return at;
  }
  return ranges.length - 1;
}

export class Model {
  constructor() {
    this.reset();
  }

  reset() {
    this.first = null;
    this.now = null;
    this.settings = null;
    this.senders = new Map();
    this.past = []; // the counts of the last seconds: {at, rows}
    this.spills = []; // the bytes in the spills in the last minute: {at, bytes}
  }

  /* A new connection. Returns whether it is to the same run of the collector as before. */
  begin(first) {
    const goesOn = this.first?.began === first.began;
    if (!goesOn)
      this.reset();
    this.first = first;
    this.settings = first.settings;
    this.rings = {seconds: new Ring(SECONDS, false), minutes: new Ring(MINUTES, true)};
    this.rings.seconds.add(first.seconds);
    this.rings.minutes.add(first.minutes);
    return goesOn;
  }

  /* A second has passed. */
  update(now) {
    this.noteSenders(now);
    this.now = now;
    this.settings = now.settings ?? this.settings;
    this.noteRows(now);
    this.noteSpills(now);
    this.rings.seconds.add(now.second);
    this.rings.minutes.add(now.minute);
  }

  /* Keeps rows of the last seconds, for listeners and sinks without a history. */
  noteRows(now) {
    const rows = [...this.rows("listeners"), ...this.rows("sinks")];
    this.past.push({at: now.at, rows: new Map(rows.map((row) => [row.series, row]))});
    while (this.past.length > 2 && this.past[1].at <= now.at - LATELY_MS)
      this.past.shift();
  }

  /*
   * The increase of a count per second, from the ledger, or from the history in the first second
   * after the page was opened. NaN: not known.
   */
  rate(row, column) {
    const last = this.past.at(-2);
    const before = last?.rows.get(row.series);
    if (before !== undefined)
      return Math.max(total(row, column) - total(before, column), 0) /
        (Math.max(this.now.at - last.at, 1) / 1000);
    const ring = this.rings.seconds;
    return ring.has(row.series) ? ring.rates(row.series, column).at(-1) ?? NaN : NaN;
  }

  /*
   * How much the counts rose in about the last ten seconds: {seconds, count, counts}, where
   * `counts` are pairs of a column and a number, the largest first. null: not known.
   */
  lostLately(row, columns) {
    const {from, rise} = this.lately(row) ?? {};
    const seconds = (this.now.at - from) / 1000;
    if (!(seconds > 0))
      return null;
    const counts = columns.map((column) => [column, rise(column)]).filter(([, count]) => count > 0)
      .sort((a, b) => b[1] - a[1]);
    return {seconds, counts, count: counts.reduce((sum, [, count]) => sum + count, 0)};
  }

  /* The beginning of the last ten seconds, and how to count from it: by history, or by events. */
  lately(row) {
    const ring = this.rings.seconds;
    if (ring.has(row.series))
      return {from: ring.slots.at(-10)?.from ?? ring.slots[0]?.from,
        rise: (column) => ring.sum(row.series, column, 10)};
    const oldest = this.past.find(({rows}) => rows.has(row.series));
    const before = oldest?.rows.get(row.series);
    return oldest === undefined ? null
      : {from: oldest.at, rise: (column) => total(row, column) - total(before, column)};
  }

  noteSpills(now) {
    this.spills.push({at: now.at,
      bytes: new Map(now.levels.sinks.map((level) => [level.name, level.spill_bytes]))});
    while (this.spills[0].at < now.at - MINUTE_MS)
      this.spills.shift();
  }

  /*
   * The seconds until a spill is full if it grows as in the last minute; null: it does not grow, or
   * was observed for less than ten seconds.
   */
  secondsUntilFull(level) {
    const first = this.spills.find(({bytes}) => bytes.has(level.name));
    const seconds = (this.now.at - (first?.at ?? this.now.at)) / 1000;
    const grown = level.spill_bytes - (first?.bytes.get(level.name) ?? level.spill_bytes);
    const left = level.spill_limit_bytes - level.spill_bytes;
    return seconds < 10 || grown <= 0 || left < 0 ? null : left * seconds / grown;
  }

  /*
   * The rate of each sender, and a smoothed rate that keeps their order stable. A sender that was
   * evicted from the collector's table starts again.
   */
  noteSenders(now) {
    const before = this.senders;
    const seconds = (now.time - (this.now?.time ?? now.time)) / 1000;
    this.senders = new Map();
    for (const {name: listener, senders} of now.senders.listeners)
      for (const sender of senders) {
        const key = `${listener} ${sender.address}`;
        const last = before.get(key);
        const added = sender.datagrams - (last?.datagrams ?? NaN);
        const rate = seconds > 0 && added >= 0 ? added / seconds : NaN;
        const calm = 0.8 * (last?.calm || rate || 0) + 0.2 * (rate || 0);
        const byteRate = rate >= 0 ? (sender.bytes - last.bytes) / seconds : NaN;
        this.senders.set(key, {...sender, key, listener, rate, calm, byteRate});
      }
  }

  /* Senders, the busiest first. */
  busiest(most, listener = null) {
    return [...this.senders.values()]
      .filter((sender) => listener === null || sender.listener === listener)
      .sort((a, b) => b.calm - a.calm || b.datagrams - a.datagrams).slice(0, most);
  }

  /* All known senders: those with most losses first, then the busiest. */
  sendersByNeed() {
    return [...this.senders.values()]
      .sort((a, b) => (b.lost ?? 0) - (a.lost ?? 0) || b.calm - a.calm || b.datagrams - a.datagrams);
  }

  /* Senders that number their datagrams, those with most losses first. */
  losers(most, listener = null) {
    return this.now.senders.losers
      .filter((sender) => listener === null || sender.listener === listener).slice(0, most);
  }

  /* The time of day of a moment of the history, in milliseconds. */
  timeOf(at) {
    return this.now.time - (this.now.at - at);
  }

  /* The ledger's rows of listeners or sinks, with the names of their series. */
  rows(kind) {
    const indexes = this.now[kind === "listeners" ? "listener_indexes" : "sink_indexes"];
    return this.now.ledger[kind].map((row, at) =>
      ({...row, index: indexes[at], series: `${kind}.${indexes[at]}`}));
  }

  listenerLevel(name) {
    return this.now.levels.listeners.find((level) => level.name === name) ?? null;
  }

  streamLevel(name) {
    return this.now.levels.streams.find((level) => level.name === name) ?? null;
  }

  sinkLevel(name) {
    return this.now.levels.sinks.find((level) => level.name === name) ?? null;
  }

  /*
   * The columns of a listener's losses. Reasons without a remedy are not losses, such as heartbeats
   * and repeated segments; nor are drops of the kernel that include datagrams refused by its filter.
   */
  listenerLosses(rows) {
    const reasons = Object.entries(this.first.words.reasons)
      .filter(([, words]) => words.remedy !== "").map(([name]) => `reasons.${name}`);
    const drops = rows.some((row) => "kernel_drops" in row) ? ["kernel_drops"] : [];
    return [...drops, ...reasons];
  }

  sinkLosses() {
    const named = (group) => Object.keys(this.first.words[group]).map((name) => `${group}.${name}`);
    return [...named("refused"), "evicted", ...named("failed"), "unknown"];
  }

  /* The upper bound of a range of a measure of times, in nanoseconds; null: the last range. */
  bound(range) {
    return this.first.bounds[range] ?? null;
  }

  get rangeCount() {
    return this.first.bounds.length + 1;
  }
}

/* A count of the ledger by a column's name: row.received, row.reasons.malformed. */
export function total(row, column) {
  const [group, name] = column.split(".");
  return (name === undefined ? row[group] : row[group]?.[name]) ?? 0;
}
