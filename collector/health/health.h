/*
 * Whether the collector does its work, as JSON for people and for what watches it.
 *
 * It is ready, or degraded: it receives, and something is lost or kept waiting, which is reported
 * with where and how much; or stuck, or stopping: it does not serve. Losses are those of the last
 * minute, found by counts that are noted every few seconds.
 *
 * Lifecycle: create, note every HEALTH_EVERY_NS, report when asked, destroy. One thread; pure but
 * for what it keeps.
 */
#ifndef SLUICE_COLLECTOR_HEALTH_HEALTH_H
#define SLUICE_COLLECTOR_HEALTH_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/health/health_words.h"
#include "collector/ledger/ledger.h"
#include "collector/pipeline/pipeline_levels.h"
#include "collector/text/output.h"

/* Counts are noted so often, and kept for as long as losses are reported, or one note longer. */
#define HEALTH_EVERY_NS  INT64_C(5000000000)
#define HEALTH_MEMORY_NS INT64_C(60000000000)

/*
 * Some of what comes from outside is always bad. Datagrams that could not be decoded, and the like,
 * are reported where they are one in HEALTH_SHARE of all in the last minute, or more, and at least
 * HEALTH_SHARE_LEAST.
 */
#define HEALTH_SHARE       100
#define HEALTH_SHARE_LEAST 5

/* What is so at this moment. All times are monotonic. */
struct health_facts {
    const struct ledger_snapshot *ledger;
    const struct pipeline_levels *levels;
    int64_t silent_since_ns; /* see pipeline_refresh_receivers */
    bool stopping;
    int64_t now_ns;
};

struct health;

/*
 * A sink may wait for its destination, and a receiver leave a question unanswered, for less than
 * `stall_timeout_ns`. Returns NULL where memory is short.
 */
struct health *health_create(int64_t stall_timeout_ns);
/* NULL is allowed. */
void health_destroy(struct health *health);

/* Notes the counts; where memory is short the last minute begins later. */
void health_note(struct health *health, const struct ledger_snapshot *ledger, int64_t now_ns);

/*
 * Appends one JSON object on one line, "reasons" where there are any:
 *
 *     {"status":"degraded","reasons":[
 *        {"reason":"sink_waits","sink":"stdout:","seconds":12.5},
 *        {"reason":"kernel_drops","listener":"udp://...","count":7}]}
 */
enum health_status health_report(const struct health *health, const struct health_facts *facts,
                                 struct output *out);

#endif
