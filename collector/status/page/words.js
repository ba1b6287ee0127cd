/* The view of a word: what `sluice explain WORD` prints. */

import {el} from "./dom.js";
import {backLink} from "./parts.js";

/* Names in a text: --memory, receive_buffer=, kernel_drops. */
const NAME = /(--[a-z0-9-]+|[a-z0-9_]+=|[a-z0-9]+(?:_[a-z0-9]+)+)/;

let glossary = null; // a promise of the entries

function load() {
  glossary ??= fetch("/glossary").then((answer) => {
    if (!answer.ok)
      throw new Error(answer.statusText);
    return answer.json();
  });
  return glossary;
}

/* "--memory", "memory=" and "memory" are one name. */
function bare(name) {
  return name.replace(/^--/, "").replace(/=$/, "");
}

/* A text as a sentence, in which names that have an entry are links. */
function sentence(text, names) {
  const whole = `${text[0].toUpperCase()}${text.slice(1)}${/[.:]$/.test(text) ? "" : "."}`;
  return el("p", {}, ...whole.split(NAME).map((part) =>
    (names.has(bare(part)) ? el("a", {href: `#/word/${bare(part)}`}, part) : part)));
}

function entryNode({name, kind, syntax, what, remedy, default: byDefault, see}, names) {
  return el("section", {class: "card"},
    el("h3", {}, el("span", {class: "name"}, name), el("small", {},
      ` ${syntax === undefined ? "" : `${syntax} `}· ${kind}`)),
    ...[what, remedy === undefined ? undefined : `Remedy: ${remedy}`, byDefault]
      .filter((text) => text !== undefined).map((text) => sentence(text, names)),
    el("p", {class: "empty"}, `See ${see}.`));
}

export class WordView {
  constructor(word) {
    this.title = `Sluice: ${word}`;
    this.entries = el("div", {}, el("p", {class: "empty"}, "Loading the glossary."));
    this.node = el("div", {}, backLink(),
      el("div", {class: "head"}, el("h2", {class: "name"}, word),
        el("span", {class: "mixed"}, "as explained by sluice explain")), this.entries);
    load().then((entries) => this.show(entries, word), (error) => {
      glossary = null;
      this.entries.replaceChildren(el("p", {class: "empty"},
        `The glossary cannot be loaded: ${error.message}. Use: sluice explain ${word}`));
    });
  }

  show(entries, word) {
    const names = new Set(entries.map(({name}) => name));
    const found = entries.filter(({name}) => name === word);
    this.entries.replaceChildren(...found.map((entry) => entryNode(entry, names)));
    if (found.length === 0)
      this.entries.append(el("p", {class: "empty"}, `${word} has no entry.`));
  }

  fits() {
    return true;
  }

  update() {
  }
}
