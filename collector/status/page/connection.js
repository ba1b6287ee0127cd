/*
 * The page's connection to the collector. It reconnects whenever the connection ends, also after
 * the collector was away. While the collector has too many viewers, it reads one event now and
 * then. A hidden page disconnects, because the number of viewers is limited; the first event after
 * reconnecting has what the page missed.
 */

const SHORTEST_MS = 1000;
const LONGEST_MS = 5000;
const SELDOM_MS = 10000; // between two events, while there are too many viewers
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
  let attempt = 0;

  function rest() {
    attempt++;
    clearTimeout(silence);
    clearTimeout(next);
    source?.close();
    source = null;
  }

  /* Reads events until an error, or until there are none for some time. */
  function read(path, state, ended) {
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(ended, SILENT_MS);
    };
    rest();
    source = new EventSource(path);
    source.addEventListener("first", (event) => {
      wait = SHORTEST_MS;
      on.first(JSON.parse(event.data));
    });
    source.addEventListener("now", (event) => {
      listen();
      on.now(JSON.parse(event.data));
      on.state(state);
    });
    source.addEventListener("error", ended);
    listen();
  }

  function open() {
    read("/events", "live", askWhy);
  }

  /* An EventSource does not report why it failed. */
  function askWhy() {
    rest();
    const own = attempt;
    const signal = AbortSignal.timeout(SILENT_MS);
    fetch("/events", {method: "HEAD", signal}).then(({status}) => status === 503, () => false)
      .then((isFull) => {
        if (own !== attempt)
          return;
        if (isFull)
          read("/events/once", "full", again);
        else
          lose();
      });
  }

  function again() {
    rest();
    on.state("full");
    next = setTimeout(open, SELDOM_MS);
  }

  function lose() {
    on.state("lost");
    next = setTimeout(open, wait);
    wait = Math.min(wait * 1.5, LONGEST_MS);
  }

  addEventListener("visibilitychange", () => {
    if (document.hidden)
      rest();
    else
      open();
  });
  open();
}
