/*
 * Graphs over time: lines, stacked bars, and ranges of a measure. Each has a legend with its
 * numbers, and a cursor ("hair") that the pointer or the arrow keys move.
 */

import {cutName, el, setAttribute, setChildren, setText, svg} from "./dom.js";
import * as format from "./format.js";
import {quantileRange} from "./model.js";

const SPAN_MS = {seconds: 300000, minutes: 3600000};
const TICK_MS = {seconds: 60000, minutes: 900000};
const HEAD = 13; // pixels above the drawing, for the highest value
const FOOT = 16; // pixels below it, for the times
const LINES = 5; // most lines of a legend

/* The smallest round number that is at least the value. */
function roundUp(value) {
  if (!(value > 0))
    return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((step) => step >= value * 0.9999);
}

function swatch(className, isLine) {
  return svg("svg", {class: `swatch ${className}`, viewBox: "0 0 14 10", "aria-hidden": "true"},
    isLine ? svg("line", {class: `curve ${className}`, x1: 0, y1: 5, x2: 14, y2: 5})
      : svg("rect", {width: 14, height: 10, rx: 2}));
}

/*
 * A line of a legend: name, value at the hair or now, and total. Names in `areWords` have an
 * explanation, which the line links to.
 */
class LegendLine {
  constructor(className, isLine, areWords = false) {
    this.areWords = areWords;
    this.name = cutName(areWords ? "a" : "span");
    this.value = el("dd");
    this.total = el("dd", {class: "total"});
    this.node = el("div", {}, swatch(className, isLine), el("dt", {}, this.name.node), this.value,
      this.total);
  }

  set({name, value, total = "", help = "", isSum = false}) {
    this.name.set(name);
    setText(this.value, value);
    setText(this.total, total);
    if (help !== "")
      setAttribute(this.name.node, "title", help);
    if (this.areWords)
      setAttribute(this.name.node, "href", isSum ? null : `#/word/${name}`);
  }
}

/*
 * The names by colour: those of `names` that were shown before keep their colour, and the others
 * get free ones. null: an unused colour.
 */
function keepColours(shown, names, count) {
  const kept = Array.from({length: count}, (_, at) => (names.includes(shown[at]) ? shown[at] : null));
  for (const name of names)
    if (!kept.includes(name))
      kept[kept.indexOf(null)] = name;
  return kept;
}

/* The base of all graphs: a frame, times below it, a legend, and the hair. */
class Graph {
  constructor({title, unit, help = "", most = LINES, series = null}) {
    this.title = title;
    this.unit = unit; // or a function of the model
    this.series = series; // required; null: shows the series that exist
    this.hair = null; // a slot's time, in milliseconds since the start
    this.time = el("time");
    this.drawing = svg("svg", {"aria-hidden": "true"});
    this.plot = el("div", {class: "plot", role: "slider", tabindex: "0",
      "aria-label": `${title}: moment`, "aria-valuemin": "0"}, this.drawing);
    this.small = el("small");
    this.heading = el("h3", {}, `${title} `, this.small);
    this.legend = el("dl", {class: `legend of-${most}`});
    this.node = el("figure", {class: "graph card"},
      el("figcaption", {title: help || null},
        this.heading, this.time),
      this.plot, this.legend);
    this.listen();
  }

  listen() {
    this.plot.addEventListener("pointermove", (event) => {
      const box = this.plot.getBoundingClientRect();
      this.moveTo((event.clientX - box.left) / box.width);
    });
    this.plot.addEventListener("pointerleave", () => this.setHair(null));
    this.plot.addEventListener("blur", () => this.setHair(null));
    this.plot.addEventListener("keydown", (event) => this.press(event));
    new ResizeObserver(() => this.redraw()).observe(this.plot);
  }

  press(event) {
    const slots = this.ring?.slots ?? [];
    const at = this.hair === null ? slots.length - 1 : this.slotAtHair();
    const moves = {ArrowLeft: at - 1, ArrowRight: at + 1, ArrowDown: at - 1, ArrowUp: at + 1,
      PageDown: at - 10, PageUp: at + 10, Home: 0, End: slots.length - 1};
    if (event.key === "Escape")
      this.setHair(null);
    else if (event.key in moves && slots.length !== 0)
      this.setHair(slots[Math.min(Math.max(moves[event.key], 0), slots.length - 1)].to);
    else
      return;
    event.preventDefault();
  }

  moveTo(share) {
    if (!this.ring)
      return;
    const time = this.end - (1 - share) * this.span;
    const slot = this.ring.slots.find(({from, to}) => from < time && time <= to);
    this.setHair(slot === undefined ? null : slot.to);
  }

  setHair(time) {
    this.hair = time;
    this.redraw();
  }

  /* The slot of the hair, or the last one. */
  slotAtHair() {
    const at = this.hair === null ? -1
      : this.ring.slots.findIndex(({from, to}) => from < this.hair && this.hair <= to);
    return at < 0 ? this.ring.slots.length - 1 : at;
  }

  update(model, range) {
    this.model = model;
    this.ring = model.rings[range];
    this.range = range;
    this.span = SPAN_MS[range];
    this.end = model.now.at;
    this.nameUnit();
    this.redraw();
  }

  nameUnit() {
    const unit = typeof this.unit === "function" ? this.unit(this.model) : this.unit;
    setText(this.small, unit);
    setAttribute(this.heading, "title", `${this.title}, ${unit}`);
    setAttribute(this.plot, "aria-label", `${this.title}, ${unit}: moment`);
  }

  redraw() {
    if (!this.ring || this.ring.slots.length === 0 || !this.node.isConnected)
      return;
    this.width = this.plot.clientWidth;
    this.base = this.plot.clientHeight - FOOT;
    this.height = this.base - HEAD;
    const hasHistory = this.series === null || this.ring.has(this.series);
    setAttribute(this.node, "data-without", hasHistory ? null : "history");
    const parts = hasHistory ? this.draw() : [this.note("no room for its history")];
    this.drawing.replaceChildren(...this.times(), ...parts, ...this.hairLine());
    this.say();
  }

  x(time) {
    return Math.max(0, this.width * (1 - (this.end - time) / this.span));
  }

  y(share) {
    return this.base - this.height * share;
  }

  times() {
    const parts = [];
    const tick = TICK_MS[this.range];
    const now = this.model.now.time;
    const offset = new Date(now).getTimezoneOffset() * 60000;
    for (let time = Math.floor((now - offset) / tick) * tick + offset; time > now - this.span;
      time -= tick) {
      const x = this.width * (1 - (now - time) / this.span);
      parts.push(svg("line", {class: "rule", x1: x, x2: x, y1: HEAD, y2: this.base + 3}));
      if (x > 16 && x < this.width - 16)
        parts.push(svg("text", {x, y: this.base + 12, "text-anchor": "middle"},
          format.clock(time, false)));
    }
    parts.push(svg("line", {class: "rule", x1: 0, x2: this.width, y1: this.base, y2: this.base}));
    return parts;
  }

  /* A text instead of a drawing. */
  note(text) {
    return svg("text", {class: "none", x: this.width / 2, y: this.y(0.5)}, text);
  }

  /* Horizontal lines, each with its value. */
  levels(levels) {
    return levels.flatMap(([share, text]) => [
      svg("line", {class: "rule", x1: 0, x2: this.width, y1: this.y(share), y2: this.y(share)}),
      svg("text", {x: 0, y: this.y(share) - 3}, text)]);
  }

  hairLine() {
    if (this.hair === null)
      return [];
    const slot = this.ring.slots[this.slotAtHair()];
    const x = this.x((slot.from + slot.to) / 2);
    return [svg("line", {class: "hair", x1: x, x2: x, y1: HEAD, y2: this.base})];
  }

  /* Updates the time next to the title, and the texts for screen readers. */
  say() {
    const at = this.slotAtHair();
    const clock = format.clock(this.model.timeOf(this.ring.slots[at].to));
    setText(this.time, this.hair === null ? "now" : clock);
    setAttribute(this.plot, "aria-valuemax", String(this.ring.slots.length - 1));
    setAttribute(this.plot, "aria-valuenow", String(at));
    const said = this.node.hasAttribute("data-without") ? [] : [...this.legend.children].map((line) =>
      `${line.querySelector("dt").textContent} ${line.querySelector("dd").textContent}`);
    setAttribute(this.plot, "aria-valuetext", `${clock}: ${said.join(", ") || "nothing"}`);
  }
}

/*
 * Lines. `lines(model, ring)` returns {name, values, total, help}, of which the first five are
 * drawn; `show` formats a value; `top` is a fixed upper end.
 */
export class LineGraph extends Graph {
  constructor(options) {
    super(options);
    this.options = options;
    this.shown = []; // names by colour; a line keeps its colour while it is drawn
    this.legendLines = Array.from({length: LINES}, (_, at) => new LegendLine(`s${at + 1}`, true));
  }

  draw() {
    const lines = this.options.lines(this.model, this.ring).slice(0, LINES);
    const show = this.options.show ?? format.short;
    const most = Math.max(0, ...lines.flatMap(({values}) =>
      values.filter((value) => !Number.isNaN(value))));
    const top = this.options.top ?? roundUp(most);
    const at = this.slotAtHair();
    this.shown = keepColours(this.shown, lines.map(({name}) => name), LINES);
    const colours = lines.map(({name}) => this.shown.indexOf(name));
    setChildren(this.legend, colours.map((colour) => this.legendLines[colour].node));
    const parts = this.levels([[0.5, show(top / 2)], [1, show(top)]]);
    lines.forEach(({name, values, total, help}, i) => {
      this.legendLines[colours[i]].set({name, value: show(values[at]), total, help});
      const {curve, under} = this.path(values, top);
      if (i === 0)
        parts.push(svg("path", {class: `under s${colours[i] + 1}`, d: under}));
      parts.push(svg("path", {class: `curve s${colours[i] + 1}`, d: curve}));
    });
    return parts;
  }

  path(values, top) {
    const runs = [];
    let run = null;
    this.ring.slots.forEach((slot, at) => {
      const isOut = Number.isNaN(values[at]) || slot.to < this.end - this.span;
      if (isOut)
        run = null;
      else if (run === null)
        runs.push(run = []);
      run?.push([this.x(slot.to), this.y(Math.min(values[at] / top, 1))]);
    });
    const point = ([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`;
    const curve = runs.map((points) => `M${points.map(point).join("L")}`).join("");
    const under = runs.map((points) => `M${points[0][0].toFixed(1)},${this.base}L` +
      `${points.map(point).join("L")}V${this.base}Z`).join("");
    return {curve, under};
  }
}

/*
 * Stacked bars: the largest four parts, and the sum of the others on top. `parts(model, ring)`
 * returns {name, values, total, help}.
 */
export class StackGraph extends Graph {
  constructor(options) {
    super(options);
    this.options = options;
    this.shown = []; // names by colour; a part keeps its colour while it is shown
    this.legendLines = Array.from({length: LINES}, (_, at) =>
      new LegendLine(`l${at + 1}`, false, true));
  }

  /* The parts to draw, by colour; null: an unused colour. */
  chosen() {
    const sum = (part) => part.values.reduce((all, value) => all + (value || 0), 0);
    const parts = this.options.parts(this.model, this.ring)
      .map((part) => ({...part, sum: sum(part)})).filter((part) => part.sum > 0)
      .sort((a, b) => b.sum - a.sum);
    const most = parts.slice(0, LINES - 1);
    const rest = parts.slice(LINES - 1);
    this.shown = keepColours(this.shown, most.map(({name}) => name), LINES - 1);
    const others = rest.length === 0 ? null : {
      name: `${rest.length} more`,
      values: this.ring.slots.map((_, at) => rest.reduce((all, part) => all + part.values[at], 0)),
      help: rest.map(({name}) => name).join(", "),
      isSum: true,
    };
    return [...this.shown.map((name) => most.find((part) => part.name === name) ?? null), others];
  }

  draw() {
    const parts = this.chosen();
    const at = this.slotAtHair();
    const heights = this.ring.slots.map((_, slot) =>
      parts.reduce((all, part) => all + (part?.values[slot] || 0), 0));
    const top = roundUp(Math.max(...heights));
    const lines = [];
    parts.forEach((part, i) => {
      if (part === null)
        return;
      this.legendLines[i].set({...part, value: format.short(part.values[at])});
      lines.push(this.legendLines[i].node);
    });
    setChildren(this.legend, lines);
    if (lines.length === 0)
      return [this.note("none in this period")];
    return [...this.levels([[0.5, format.short(top / 2)], [1, format.short(top)]]),
      ...this.bars(parts, top)];
  }

  bars(parts, top) {
    const under = new Array(this.ring.slots.length).fill(0);
    return parts.map((part, i) => {
      let path = "";
      this.ring.slots.forEach((slot, at) => {
        const value = part?.values[at] || 0;
        if (value === 0 || slot.to <= this.end - this.span)
          return;
        const x = Math.round(this.x(slot.from));
        const gap = this.range === "minutes" ? 1 : 0;
        const width = Math.max(Math.round(this.x(slot.to)) - x - gap, 1);
        const y = this.y(under[at] / top);
        const height = Math.max(this.height * value / top, 1);
        under[at] += value;
        path += `M${x},${y.toFixed(1)}v${(-height).toFixed(1)}h${width}v${height.toFixed(1)}z`;
      });
      return svg("path", {class: `bars l${i + 1}`, d: path});
    });
  }
}

/*
 * The number of measures in each range over time: more is darker; and a line at the 99th percentile.
 * `series` and `group` name the measure.
 */
export class HeatGraph extends Graph {
  constructor(options) {
    super({...options, most: 4});
    this.options = options;
    this.canvas = el("canvas", {"aria-hidden": "true"});
    this.plot.prepend(this.canvas);
    this.legendLines = [["p50", 0.5], ["p90", 0.9], ["p99", 0.99], ["max", 1]]
      .map(([name, share]) => ({name, share,
        line: new LegendLine(share === 0.99 ? "p99" : "plain", share === 0.99)}));
    setChildren(this.legend, this.legendLines.map(({line}) => line.node));
  }

  draw() {
    const {series, group} = this.options;
    const count = this.model.rangeCount;
    const columns = this.ring.slots.map((_, at) =>
      this.ring.ranges(series, group, count, at, at + 1));
    this.paint(columns, count);
    const last = this.ring.slots.length;
    const whole = this.ring.ranges(series, group, count, 0, last);
    /* With little traffic a second has at most one measure, so ten seconds are summed. */
    const now = this.hair !== null ? columns[this.slotAtHair()]
      : this.ring.ranges(series, group, count, last - (this.range === "seconds" ? 10 : 1), last);
    for (const {name, share, line} of this.legendLines)
      line.set({name, value: this.within(now, share), total: this.within(whole, share)});
    const marks = [[2, "50 µs"], [6, "1 ms"], [12, "100 ms"], [17, "5 s"]]
      .map(([range, text]) => [(range + 1) / count, text]);
    return [...this.levels(marks), svg("path", {class: "quantile", d: this.line(columns, count)})];
  }

  within(ranges, share) {
    const range = quantileRange(ranges, share);
    if (range < 0)
      return "–";
    const bound = this.model.bound(range);
    return bound === null ? `> ${format.duration(this.model.bound(range - 1))}`
      : `≤ ${format.duration(bound)}`;
  }

  line(columns, count) {
    let path = "";
    let isDown = false;
    this.ring.slots.forEach((slot, at) => {
      const range = quantileRange(columns[at], 0.99);
      if (range >= 0 && slot.to > this.end - this.span) {
        const y = this.y((range + 1) / count).toFixed(1);
        path += `${isDown ? "L" : "M"}${this.x(slot.from).toFixed(1)},${y}` +
          `H${this.x(slot.to).toFixed(1)}`;
      }
      isDown = range >= 0;
    });
    return path;
  }

  paint(columns, count) {
    const scale = devicePixelRatio || 1;
    const height = this.base + FOOT;
    if (this.canvas.width !== Math.round(this.width * scale) ||
        this.canvas.height !== Math.round(height * scale)) {
      this.canvas.width = Math.round(this.width * scale);
      this.canvas.height = Math.round(height * scale);
    }
    const context = this.canvas.getContext("2d");
    const colour = getComputedStyle(this.plot).getPropertyValue("--heat");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, this.width, height);
    this.ring.slots.forEach((slot, at) => {
      const all = columns[at].reduce((sum, value) => sum + value, 0);
      if (all === 0 || slot.to <= this.end - this.span)
        return;
      const x = this.x(slot.from);
      columns[at].forEach((value, range) => {
        if (value === 0)
          return;
        context.fillStyle = `rgba(${colour}, ${0.15 + 0.85 * Math.sqrt(value / all)})`;
        const y = this.y((range + 1) / count);
        context.fillRect(x, y, Math.max(this.x(slot.to) - x, 0.8), this.height / count);
      });
    });
  }
}
