/*
 * Writes the texts that explain the words of the ledger and of health, as JSON for the status page.
 * The manual has the same texts. Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_STATUS_WORDS_JSON_H
#define SLUICE_COLLECTOR_STATUS_WORDS_JSON_H

#include "collector/text/output.h"

/*
 * Appends one JSON object:
 *
 *   {"listener":{"received":"Datagrams received; ..."},"sink":{...},"letters":{...},
 *    "reasons":{"no_buffer":{"what":"no batch was free","remedy":"raise --memory, ..."}},
 *    "refused":{...},"failed":{...},"dropped":{...},
 *    "statuses":{"ready":"it receives, ..."},"health":{"sink_waits":"..."}}
 */
void words_json_write(struct output *out);

#endif
