/* The view of the senders. */

import {el} from "./dom.js";
import {backLink} from "./parts.js";
import {AllSendersTable, LoserTable} from "./tables.js";

const MOST = 500; // rows

export class SendersView {
  constructor() {
    this.title = "Sluice: senders";
    this.filter = el("input", {type: "search", autocomplete: "off", spellcheck: "false"});
    this.all = new AllSendersTable();
    this.losers = new LoserTable();
    this.note = el("p", {class: "empty"});
    this.node = el("div", {}, backLink(),
      el("div", {class: "head"}, el("h2", {}, "Senders"), el("label", {class: "filter"},
        "Address, name or listener contains ", this.filter)),
      el("section", {class: "card", "aria-label": "Senders"}, this.all.node, this.note),
      el("section", {"aria-labelledby": "losers"},
        el("h2", {id: "losers"}, "Senders with sequence gaps"),
        el("div", {class: "card"}, this.losers.node)),
      el("p", {}, "The same as JSON: ", el("a", {href: "/sources"}, "/sources")));
    this.filter.addEventListener("input", () => this.update(this.model));
  }

  fits() {
    return true;
  }

  update(model) {
    this.model = model;
    const wanted = this.filter.value.trim().toLowerCase();
    const found = this.all.show(model, wanted, MOST);
    this.losers.show(model, MOST, null, wanted);
    this.note.textContent = `${found} of ${model.senders.size} senders: the busiest of each ` +
      `listener${model.now.senders.replaced > 0 ? "; less busy ones were replaced in the table, and "
        + "their counts begin again" : ""}.`;
  }
}
