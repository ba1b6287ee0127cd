/*
 * What the collector has sent: the ledger and how things stand now, and rings of the last seconds
 * and minutes. Nothing is drawn here.
 *
 * A series is named by what it is of ("listeners.0", "sinks.all", "decode"), a column of it by the
 * ledger's words ("received", "reasons.malformed", "write_time.3").
 */

const SECONDS = 300;
const MINUTES = 60;
const MINUTE_MS = 60000;
const LATELY_MS = 10000; // for so long something is said to lose after it has lost

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

  /* Adds what a block has and this has not yet. What was missed between them is a gap. */
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

  /* The minute that goes on comes again and again. */
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

  /* The same for each second. */
  rates(name, column) {
    const values = this.values(name, column);
    return this.slots.map((slot, at) => values[at] / (Math.max(slot.to - slot.from, 1) / 1000));
  }

  /* The sum of the last slots, of all without a number. */
  sum(name, column, last = this.slots.length) {
    return this.values(name, column).slice(-last)
      .reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0);
  }

  /* Names of the columns of a group: of "reasons" those of "reasons.malformed" and the like. */
  group(name, group) {
    return Array.from(this.series.get(name)?.keys() ?? [])
      .filter((column) => column.startsWith(`${group}.`));
  }

  /* The counts of a measure's ranges at one slot, or over the last ones. */
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

/* The range that a share of all measures is not above; -1: there are none. */
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
    this.rings = {seconds: new Ring(SECONDS, false), minutes: new Ring(MINUTES, true)};
  }

  /* A stream has begun: of this run of the collector, or of another. */
  begin(first) {
    this.reset();
    this.first = first;
    this.settings = first.settings;
    this.rings.seconds.add(first.seconds);
    this.rings.minutes.add(first.minutes);
  }

  /* A second has passed. */
  update(now) {
    this.noteSenders(now);
    this.now = now;
    this.settings = now.settings ?? this.settings;
    this.noteRows(now);
    this.rings.seconds.add(now.second);
    this.rings.minutes.add(now.minute);
  }

  /* Of listeners and sinks without a history, too. */
  noteRows(now) {
    const rows = [...this.rows("listeners"), ...this.rows("sinks")];
    this.past.push({at: now.at, rows: new Map(rows.map((row) => [row.series, row]))});
    while (this.past.length > 2 && this.past[1].at <= now.at - LATELY_MS)
      this.past.shift();
  }

  /*
   * How much a count of a listener or a sink rises in a second: by the ledger, or in the first second
   * after the page was opened by the history. NaN: that is not known.
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

  /* Whether one of its counts rose in the last ten seconds; null: that is not known. */
  roseLately(row, columns) {
    const oldest = this.past.find(({rows}) => rows.has(row.series));
    const known = oldest !== undefined && oldest !== this.past.at(-1);
    const before = oldest?.rows.get(row.series);
    if (known && columns.some((column) => total(row, column) > total(before, column)))
      return true;
    if (this.rings.seconds.has(row.series))
      return columns.some((column) => this.rings.seconds.sum(row.series, column, 10) > 0);
    return known ? false : null;
  }

  /*
   * How much each sender sends in a second, lately: a rate that follows slowly keeps their order calm.
   * Who has lost its place in the collector's table begins anew.
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
        this.senders.set(key, {...sender, key, listener, rate, calm});
      }
  }

  /* The busiest first. */
  busiest(most, listener = null) {
    return [...this.senders.values()]
      .filter((sender) => listener === null || sender.listener === listener)
      .sort((a, b) => b.calm - a.calm || b.datagrams - a.datagrams).slice(0, most);
  }

  /* Those that number their datagrams and lost most of them, first. */
  losers(most, listener = null) {
    return this.now.senders.losers
      .filter((sender) => listener === null || sender.listener === listener).slice(0, most);
  }

  /* The time of day of a moment of the history, in milliseconds. */
  timeOf(at) {
    return this.now.time - (this.now.at - at);
  }

  /* Listeners or sinks: their rows of the ledger, with the names of their series. */
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
   * Columns that count what a listener lost. A reason that nothing is to be done about is none: the
   * datagram was a heartbeat, or had come before. Where the kernel counts what its filter refuses
   * among its drops, these are none either.
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

  /* The bound of a range of a measure of times, in nanoseconds; null: there is none above. */
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
