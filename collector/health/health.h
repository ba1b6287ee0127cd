/*
 * Writes the health report: JSON that shows people and monitoring whether the collector works.
 *
 * The status "ready" means that all is well; "degraded" means that the collector receives but loses
 * or delays records (the report has the reasons and numbers); "stuck" and "stopping" mean that it
 * does not receive. The reported losses are those of the last minute. They are computed from counts
 * that health_note stores every HEALTH_EVERY_NS.
 *
 * Lifecycle: create, note every HEALTH_EVERY_NS, report on request, destroy. One thread.
 */
#ifndef SLUICE_COLLECTOR_HEALTH_HEALTH_H
#define SLUICE_COLLECTOR_HEALTH_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/health/health_words.h"
#include "collector/ledger/ledger.h"
#include "collector/pipeline/pipeline_levels.h"
#include "collector/text/output.h"

/* The interval between calls of health_note, and the period whose losses are reported. */
#define HEALTH_EVERY_NS  INT64_C(5000000000)
#define HEALTH_MEMORY_NS INT64_C(60000000000)

/*
 * A few bad datagrams are normal. Undecodable datagrams and similar losses are therefore reported
 * once they are at least HEALTH_SHARE_LEAST, and at least 1 in HEALTH_SHARE of all datagrams, in
 * the last minute. They are reported until they are fewer than half of either limit, so that a
 * share near the limit does not come and go.
 */
#define HEALTH_SHARE       100
#define HEALTH_SHARE_LEAST 5

/* The state of the program at the time of the report. All times are monotonic. */
struct health_facts {
    const struct ledger_snapshot *ledger;
    const struct pipeline_levels *levels;
    int64_t silent_since_ns; /* result of pipeline_refresh_receivers */
    bool stopping;
    int64_t now_ns;
};

struct health;

/*
 * A sink that waits for its destination, or a receiver that does not answer, is reported after
 * `stall_timeout_ns`. Returns NULL if out of memory.
 */
struct health *health_create(int64_t stall_timeout_ns);
/* NULL is allowed. */
void health_destroy(struct health *health);

/*
 * Stores the present counts. If out of memory, they are not stored, and the reported period is
 * longer than a minute.
 */
void health_note(struct health *health, const struct ledger_snapshot *ledger, int64_t now_ns);

/*
 * Appends one JSON object on one line, with "reasons" if there are any:
 *
 *     {"status":"degraded","reasons":[
 *        {"reason":"sink_waits","sink":"stdout:","seconds":12.5},
 *        {"reason":"sink_fails","sink":"http://...","error":"connection refused","seconds":3.1},
 *        {"reason":"kernel_drops","listener":"udp://...","count":7}]}
 *
 * "limit" is the spill's size where "count" is in bytes (spill_fills).
 * "past", also if it is ready, has the last outage of each sink that has none now:
 *
 *     "past":[{"sink":"http://...","error":"connection refused","ended_seconds_ago":45.2,
 *              "seconds":12.3}]
 *
 * "sandbox" is the sandbox in force ("landlock 7 (31 paths), seccomp"), or the reason for which
 * there is none ("off"). It is omitted before sandbox_note (platform/sandbox.h).
 *
 * "error" is the reason of a sink's outage, as the system or the far end reported it.
 */
enum health_status health_report(struct health *health, const struct health_facts *facts,
                                 struct output *out);

#endif
