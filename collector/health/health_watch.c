#include "collector/health/health_watch.h"

#include <stdlib.h>

#include "collector/pipeline/pipeline.h"
#include "collector/pipeline/pipeline_levels.h"
#include "collector/platform/clock.h"

struct health_watch {
    struct pipeline *pipeline;
    struct health *health;
    int64_t ask_every_ns; /* interval of requests to receivers, at most the stall timeout */
    int64_t ask_due_ns;
    int64_t note_due_ns;
    int64_t silent_since_ns; /* last result of pipeline_refresh_receivers */
    bool stopping;
};

struct health_watch *health_watch_create(struct pipeline *pipeline, int64_t stall_timeout_ns)
{
    struct health_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL)
        return NULL;
    watch->pipeline = pipeline;
    watch->silent_since_ns = INT64_MAX;
    watch->ask_every_ns = HEALTH_EVERY_NS < stall_timeout_ns ? HEALTH_EVERY_NS : stall_timeout_ns;
    watch->health = health_create(stall_timeout_ns);
    if (watch->health != NULL)
        return watch;
    free(watch);
    return NULL;
}

void health_watch_destroy(struct health_watch *watch)
{
    if (watch == NULL)
        return;
    health_destroy(watch->health);
    free(watch);
}

int64_t health_watch_due(const struct health_watch *watch)
{
    if (watch == NULL)
        return INT64_MAX;
    return watch->ask_due_ns < watch->note_due_ns ? watch->ask_due_ns : watch->note_due_ns;
}

static void ask_receivers(struct health_watch *watch, int64_t now_ns)
{
    watch->ask_due_ns = now_ns + watch->ask_every_ns;
    watch->silent_since_ns = pipeline_refresh_receivers(watch->pipeline, now_ns);
}

static void note_counts(struct health_watch *watch, int64_t now_ns)
{
    watch->note_due_ns = now_ns + HEALTH_EVERY_NS;
    struct ledger_snapshot *ledger = pipeline_glance(watch->pipeline);
    if (ledger != NULL)
        health_note(watch->health, ledger, now_ns);
    ledger_snapshot_free(ledger);
}

void health_watch_look(struct health_watch *watch, int64_t now_ns)
{
    if (now_ns < health_watch_due(watch))
        return;
    if (now_ns >= watch->ask_due_ns)
        ask_receivers(watch, now_ns);
    if (now_ns >= watch->note_due_ns)
        note_counts(watch, now_ns);
}

void health_watch_stop(struct health_watch *watch)
{
    if (watch != NULL)
        watch->stopping = true;
}

bool health_watch_report(const struct health_watch *watch, struct output *out,
                         enum health_status *status)
{
    if (watch == NULL)
        return false;
    struct ledger_snapshot *ledger = pipeline_glance(watch->pipeline);
    struct pipeline_levels *levels = pipeline_read_levels(watch->pipeline);
    bool known = ledger != NULL && levels != NULL;
    if (known) {
        const struct health_facts facts = {.ledger = ledger,
                                           .levels = levels,
                                           .silent_since_ns = watch->silent_since_ns,
                                           .stopping = watch->stopping,
                                           .now_ns = clock_monotonic_ns()};
        *status = health_report(watch->health, &facts, out);
    }
    pipeline_levels_free(levels);
    ledger_snapshot_free(ledger);
    return known;
}
