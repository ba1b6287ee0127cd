/*
 * The page's connection to the collector. It reconnects whenever the connection ends, including
 * when the collector was away or has too many viewers. A hidden page disconnects, because the
 * number of viewers is limited; the first event after reconnecting has what it missed.
 */

const SHORTEST_MS = 1000;
const LONGEST_MS = 5000;
/* Without an event for this time the connection is taken for dead. */
const SILENT_MS = 10000;

/*
 * `on.first` and `on.now` get the events' data, `on.state` the state of the connection: "live",
 * "lost", or "full" (too many viewers).
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
    /* An EventSource does not report why it failed. */
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
