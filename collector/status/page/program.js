/* The view of the program: its settings, its memory, its sandbox, and dead letters. */

import {el, setText} from "./dom.js";
import * as format from "./format.js";
import {backLink, Facts, Head, section, Settings} from "./parts.js";

export class ProgramView {
  constructor(model) {
    this.title = "Sluice: the program";
    this.head = new Head(`Sluice ${model.first.version}`, "the program");
    this.facts = new Facts("Batches of the program");
    this.settings = new Settings("Settings of the program");
    this.sandbox = el("p", {class: "sum"});
    this.sandboxSection = section("Sandbox", this.sandbox);
    this.letters = new Facts("Ledger of dead letters");
    this.letterSettings = new Settings("Settings of dead letters");
    this.letterSection = section("Dead letters", this.letters.node, this.letterSettings.node);
    this.node = el("div", {}, backLink(), this.head.node, el("div", {class: "pair"},
      section("Settings", this.settings.node),
      el("div", {}, section("Batches", this.facts.node), this.sandboxSection,
        this.letterSection)));
  }

  fits() {
    return true;
  }

  update(model) {
    const {batches} = model.now.levels;
    const letters = model.now.ledger.dead_letters;
    this.head.update(["good", `up ${format.uptime(model.now.ledger.uptime_seconds)}`]);
    this.settings.update(model.settings.program);
    this.sandboxSection.hidden = model.first.sandbox === undefined;
    setText(this.sandbox, model.first.sandbox ?? "");
    this.facts.update({
      "small batches": format.count(batches.small),
      "small batches free": format.count(batches.small_free),
      "large batches": format.count(batches.large),
      "large batches free": format.count(batches.large_free),
    });
    this.letterSection.hidden = letters === undefined;
    if (letters === undefined)
      return;
    const {name, dropped, ...terms} = letters;
    const counts = {...terms, ...Object.fromEntries(Object.entries(dropped)
      .filter(([, value]) => value !== 0).map(([reason, value]) => [`dropped ${reason}`, value]))};
    this.letters.update(Object.fromEntries(Object.entries(counts)
      .map(([term, value]) => [term, format.count(value)])));
    this.letterSettings.update(model.settings.dead_letters);
  }
}
