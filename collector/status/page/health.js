/* Why the health is not "ready", and what is losing now. */

import {
  cutName, el, setAttribute, setChildren, setText, stateMark, SteadyHeight, wordLink,
} from "./dom.js";
import * as format from "./format.js";
import {inNeed} from "./states.js";

/* The address of the view of a listener or sink, by its name. */
function hrefOf(model, kind, name) {
  const row = model.rows(kind).findLast((each) => each.name === name);
  return row === undefined ? null : `#/${kind.slice(0, -1)}/${row.index}`;
}

/* The reasons of /healthz, with their texts, and the number filled in. */
export class Reasons {
  /* `isShort`: on a narrow screen the reasons have no texts. */
  constructor(isShort = false) {
    this.node = el("ul", {class: isShort ? "reasons short" : "reasons", role: "list"});
    this.height = new SteadyHeight(this.node);
    this.lines = new Map();
    this.quiet = el("li", {}, el("span", {class: "sign", "aria-hidden": "true"}),
      el("strong"), el("span", {class: "meaning"}));
  }

  /* Shows all reasons, or those of one listener or sink. */
  update(model, of = null) {
    const {status, reasons = []} = model.now.health ?? {status: "unknown"};
    const own = reasons.filter((reason) =>
      of === null || reason.listener === of || reason.sink === of);
    const lines = own.map((reason) => this.line(model, reason));
    setChildren(this.node, lines.length !== 0 ? lines
      : [this.quietLine(model, of === null ? status : "ready")]);
    this.height.update();
  }

  quietLine(model, status) {
    const [, word, why] = this.quiet.children;
    setAttribute(this.quiet, "data-state", status === "ready" ? "good" : "warn");
    setText(word, status);
    setText(why, model.first.words.statuses[status] ?? "");
    return this.quiet;
  }

  /* A line is kept as long as its reason exists, so that its links can keep the focus. */
  line(model, {reason, listener, sink, dead_letters: letters, seconds, count, limit, error}) {
    const of = listener ?? sink ?? letters ?? "";
    const key = `${reason} ${of}`;
    if (!this.lines.has(key)) {
      const name = cutName(letters === undefined && of !== "" ? "a" : "span");
      const why = el("span", {class: "why"});
      name.set(of);
      this.lines.set(key, {name, why, node: el("li",
        {"data-state": reason === "receiver_stuck" ? "bad" : "warn"},
        el("span", {class: "sign", "aria-hidden": "true"}), wordLink(reason), name.node, why)});
    }
    const {name, why, node} = this.lines.get(key);
    const amount = limit !== undefined ? ` (${format.bytes(count)} of ${format.bytes(limit)})`
      : count !== undefined ? ` (${format.count(count)})`
      : seconds !== undefined ? ` for ${format.lasting(seconds)}` : "";
    if (name.node.tagName === "A")
      setAttribute(name.node, "href", hrefOf(model, sink === undefined ? "listeners" : "sinks", of));
    setText(why, (model.first.words.health[reason] ?? "")
      .replace("{}", amount) + (error === undefined ? "" : `: ${error}`));
    return node;
  }
}

/* --- what is losing ------------------------------------------------------------------------------ */

/* The facts of a delivery: its error, its oldest record, and its spill. */
export function deliveryFacts(model, level) {
  const facts = [];
  if (level.error === "" && level.failing_seconds === 0 && level.waiting_seconds >= 1)
    facts.push(["waits", "the destination accepts no data"]);
  if (level.error !== "")
    facts.push(["error", level.error]);
  if (level.oldest_seconds >= 1)
    facts.push(["oldest", `oldest record ${format.lasting(level.oldest_seconds)}`]);
  if (level.spill_bytes > 0)
    facts.push(["spill", `spill ${format.bytes(level.spill_bytes)} of ` +
      `${format.bytes(level.spill_limit_bytes)}${untilFull(model, level)}`]);
  return facts;
}

function untilFull(model, level) {
  const seconds = model.secondsUntilFull(level);
  return seconds === null ? "" : `, full in ${format.lasting(seconds)} at this rate`;
}

/* Listeners and sinks that lose, fail or wait, the worst first. */
export class InNeed {
  constructor() {
    this.list = el("ul", {class: "need", role: "list"});
    this.none = el("p", {class: "empty"},
      "No losses in the last 10 s, and no sink fails or waits for its destination.");
    this.node = el("div", {}, this.list, this.none);
    this.height = new SteadyHeight(this.node);
    this.items = new Map();
  }

  update(model) {
    const found = inNeed(model);
    setChildren(this.list, found.map((each) => this.item(model, each)));
    this.list.hidden = found.length === 0;
    this.none.hidden = found.length !== 0;
    this.height.update();
  }

  item(model, {kind, row, level, lost, state}) {
    if (!this.items.has(row.series))
      this.items.set(row.series, makeItem());
    const {node, name, mark, facts, known} = this.items.get(row.series);
    name.set(row.name);
    setAttribute(name.node, "href", `#/${kind.slice(0, -1)}/${row.index}`);
    mark.set(...state);
    const losses = (lost?.counts ?? []).map(([column, count]) =>
      [column.split(".").at(-1), `${format.short(count / lost.seconds)}/s`, true]);
    const others = kind === "sinks" ? deliveryFacts(model, level) : [];
    setChildren(facts, [...losses, ...others].map(([key, text, isWord], at, {length}) => {
      if (!known.has(key))
        known.set(key, makeFact(key, isWord));
      setText(known.get(key).text, text);
      setText(known.get(key).end, at < length - 1 ? ", " : "");
      return known.get(key).node;
    }));
    return node;
  }
}

function makeItem() {
  const name = cutName("a");
  const mark = stateMark();
  const facts = el("span", {class: "need-facts"});
  return {name, mark, facts, known: new Map(),
    node: el("li", {}, name.node, mark.node, facts)};
}

function makeFact(key, isWord) {
  const text = el("span");
  const end = el("span");
  return {text, end, node: el("span", {},
    isWord ? el("span", {class: "lossy"}, wordLink(key), " ", text) : text, end)};
}
