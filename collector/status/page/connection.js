/*
 * The one connection to the collector: it begins anew whenever it ends, also where the collector
 * was away or has no room for one more who looks. A page that nobody sees has none: they are few, and
 * what it missed comes with the first event.
 */

const SHORTEST_MS = 1000;
const LONGEST_MS = 5000;
/* Nothing for so long: the connection is dead, whatever the browser thinks of it. */
const SILENT_MS = 10000;

/*
 * `on.first` and `on.now` get what came, `on.state` how the connection is: "live", "lost", or
 * "full", where there is no room for one more.
 */
export function connect(on) {
  let source = null;
  let wait = SHORTEST_MS;
  let silence = 0;
  let next = 0;

  function listen() {
    clearTimeout(silence);
    silence = setTimeout(again, SILENT_MS);
  }

  function again() {
    rest();
    on.state("lost");
    /* An EventSource does not say why it failed. */
    fetch("/events", {method: "HEAD"}).then((answer) => {
      if (answer.status === 503)
        on.state("full");
    }, () => {});
    next = setTimeout(open, wait);
    wait = Math.min(wait * 1.5, LONGEST_MS);
  }

  function rest() {
    clearTimeout(silence);
    clearTimeout(next);
    source?.close();
    source = null;
  }

  function open() {
    rest();
    source = new EventSource("/events");
    source.addEventListener("first", (event) => {
      wait = SHORTEST_MS;
      on.first(JSON.parse(event.data));
    });
    source.addEventListener("now", (event) => {
      listen();
      on.now(JSON.parse(event.data));
      on.state("live");
    });
    source.addEventListener("error", again);
    listen();
  }

  addEventListener("visibilitychange", () => {
    if (document.hidden)
      rest();
    else
      open();
  });
  open();
}
