/* Makes the view of an address: #/, #/listener/INDEX, #/sink/INDEX, #/program, #/senders, #/word/NAME. */

import {ListenerView} from "./listener.js";
import {Overview} from "./overview.js";
import {ProgramView} from "./program.js";
import {SendersView} from "./senders.js";
import {SinkView} from "./sink.js";
import {WordView} from "./words.js";

export function viewOf(hash, model) {
  const [, kind, index] = /^#\/(\w+)\/?(\d*)$/.exec(hash) ?? [];
  const find = (rows) => model.rows(rows).find((row) => String(row.index) === index);
  const listener = kind === "listener" ? find("listeners") : undefined;
  const sink = kind === "sink" ? find("sinks") : undefined;
  if (listener !== undefined)
    return new ListenerView(model, listener);
  if (sink !== undefined)
    return new SinkView(model, sink);
  const [, word] = /^#\/word\/(\w+)$/.exec(hash) ?? [];
  if (word !== undefined)
    return new WordView(word);
  if (kind === "senders")
    return new SendersView();
  return kind === "program" ? new ProgramView(model) : new Overview();
}
