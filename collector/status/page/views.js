/* Makes the view of an address: #/, #/listener/INDEX, #/sink/INDEX, #/program. */

import {ListenerView} from "./listener.js";
import {Overview} from "./overview.js";
import {ProgramView} from "./program.js";
import {SinkView} from "./sink.js";

export function viewOf(hash, model) {
  const [, kind, index] = /^#\/(\w+)\/?(\d*)$/.exec(hash) ?? [];
  const find = (rows) => model.rows(rows).find((row) => String(row.index) === index);
  const listener = kind === "listener" ? find("listeners") : undefined;
  const sink = kind === "sink" ? find("sinks") : undefined;
  if (listener !== undefined)
    return new ListenerView(model, listener);
  if (sink !== undefined)
    return new SinkView(model, sink);
  return kind === "program" ? new ProgramView(model) : new Overview();
}
