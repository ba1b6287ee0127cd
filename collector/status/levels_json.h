/* Writes the levels of a pipeline as JSON for the status page. Pure; any thread. */
#ifndef SLUICE_COLLECTOR_STATUS_LEVELS_JSON_H
#define SLUICE_COLLECTOR_STATUS_LEVELS_JSON_H

#include <stdint.h>

#include "collector/pipeline/pipeline_levels.h"
#include "collector/text/output.h"

/*
 * Appends one JSON object; `now_ns` is monotonic:
 *
 *   {"listeners":[{"name":"udp://...","sockets":1,"receive_buffer_asked":4194304,
 *     "receive_buffer":425984,"group_lost":false}],
 *    "streams":[{"name":"tcp://...","open":3,"open_limit":1000}],
 *    "sinks":[{"name":"stdout:","ended":false,"waiting_seconds":0,"failing_seconds":1.5,
 *     "error":"connection refused","past_error":"","past_error_seconds":0,
 *     "past_error_ended_seconds":0,"oldest_seconds":1.5,"spill_bytes":0,"spill_limit_bytes":0,
 *     "figures":{},"answers":{},"queue_batches":5,"queue_limit_batches":64,
 *     "queue_large_batches":0,"queue_large_limit_batches":4,"queue_fill":0.08}],
 *    "batches":{"small":200,"small_free":198,"large":9,"large_free":9}}
 *
 * A sink with limited series or times also has "series".
 */
void levels_json_write(const struct pipeline_levels *levels, int64_t now_ns, struct output *out);

#endif
