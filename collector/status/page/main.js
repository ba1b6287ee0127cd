/* Connects the parts: the connection, the view, and the bar at the top. */

import {connect} from "./connection.js";
import {setAttribute, setText} from "./dom.js";
import * as format from "./format.js";
import {Model} from "./model.js";
import {viewOf} from "./views.js";

const model = new Model();
const main = document.getElementById("main");
const place = document.getElementById("view");
const part = (id) => document.getElementById(id);
const icons = {warn: "/page/icon-warn.svg", bad: "/page/icon-bad.svg"};
const states = {ready: "good", degraded: "warn", stuck: "bad", stopping: "warn"};

let view = null;
let range = "seconds";
let version = null;
let connection = "waiting";

/* --- the bar ----------------------------------------------------------------------------------- */

/* The health, or that it is not known: [word, name of the state]. */
function stateNow() {
  const status = model.now?.health?.status;
  if (connection === "lost")
    return ["no connection", "bad"];
  return [status ?? (connection === "waiting" ? "connecting" : "unknown"),
    states[status] ?? "waiting"];
}

const notices = {
  full: "Too many viewers (8). This page gets its numbers about every 10 s, until a place is free.",
  lost: "No connection to the collector. The numbers are the last ones; the page tries again.",
};

function showState() {
  const [word, state] = stateNow();
  setAttribute(part("state"), "data-state", state);
  setText(part("state-word"), word);
  setAttribute(part("icon"), "href", icons[state] ?? "/page/icon.svg");
  setText(part("notice"), notices[connection] ?? "");
  part("notice").hidden = !(connection in notices);
  setAttribute(main, "data-stale", connection === "lost" ? "" : null);
}

function showFacts() {
  setText(part("uptime"), format.uptime(model.now.ledger.uptime_seconds));
  setText(part("clock"), format.clock(model.now.time));
  setText(part("version"), model.first.version);
  setText(part("host"), model.first.host);
}

/* The title of the browser's tab begins with a state other than ready. */
function showTitle() {
  const [word, state] = stateNow();
  const title = `${state === "good" ? "" : `${word} · `}${view.title} · ${model.first.host}`;
  if (document.title !== title)
    document.title = title;
}

/* --- what is shown ------------------------------------------------------------------------------- */

function show() {
  if (model.now === null || document.hidden)
    return;
  showFacts();
  if (view === null || !view.fits(model)) {
    view = viewOf(location.hash, model);
    place.replaceChildren(view.node);
    setText(part("title"), view.title);
  }
  showTitle();
  view.update(model, range);
  setAttribute(document.documentElement, "data-at", String(model.now.at));
}

function changeView() {
  view = null;
  show();
  main.focus({preventScroll: true});
  scrollTo(0, 0);
}

/* --- events -------------------------------------------------------------------------------------- */

connect({
  first(first) {
    /* Another version of the program has another page. */
    if (version !== null && version !== first.version)
      location.reload();
    version = first.version;
    if (!model.begin(first))
      view = null;
  },
  now(now) {
    model.update(now);
  },
  state(state) {
    connection = state;
    showState();
    if (state !== "lost")
      show();
    else if (view !== null)
      showTitle();
  },
});

for (const input of document.getElementsByName("range"))
  input.addEventListener("change", () => {
    range = input.value;
    show();
  });
addEventListener("hashchange", () => {
  if (location.hash.startsWith("#/") || location.hash === "")
    changeView();
});
addEventListener("visibilitychange", show);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
