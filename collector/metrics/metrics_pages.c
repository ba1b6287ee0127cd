#include "collector/metrics/metrics_pages.h"

#include <stdlib.h>

#include "collector/metrics/metrics_page.h"
#include "collector/metrics/metrics_rising.h"
#include "collector/metrics/page_writing.h"
#include "collector/pipeline/pipeline.h"
#include "collector/pipeline/pipeline_levels.h"
#include "collector/platform/clock.h"

struct metrics_pages {
    struct pipeline *pipeline;
    const struct health_watch *health;
    const char *version;
    double started_seconds; /* the first value that was read, because later ones may differ by
                               rounding; 0: not read yet */
    struct metrics_rising rising;
};

struct metrics_pages *metrics_pages_create(struct pipeline *pipeline,
                                           const struct health_watch *health, const char *version)
{
    struct metrics_pages *pages = calloc(1, sizeof *pages);
    if (pages == NULL)
        return NULL;
    pages->pipeline = pipeline;
    pages->health = health;
    pages->version = version;
    return pages;
}

void metrics_pages_destroy(struct metrics_pages *pages)
{
    if (pages == NULL)
        return;
    metrics_rising_free(&pages->rising);
    free(pages);
}

/* --- pages ------------------------------------------------------------------------------------ */

struct metrics_writing {
    const struct metrics_facts *facts;
    enum metrics_format format;
};

static void write_metrics(void *context, struct output *out)
{
    const struct metrics_writing *writing = context;
    metrics_page_write(writing->facts, writing->format, out);
}

bool metrics_pages_metrics(struct metrics_pages *pages, enum metrics_format format,
                           struct output *out)
{
    struct process_usage usage;
    struct ledger_snapshot *ledger = pipeline_snapshot(pages->pipeline);
    struct pipeline_levels *levels = pipeline_read_levels(pages->pipeline);
    bool written = false;
    if (ledger != NULL && levels != NULL && metrics_rising_keep(&pages->rising, ledger)) {
        bool known = process_usage_read(&usage);
        if (known && pages->started_seconds == 0)
            pages->started_seconds = usage.started_seconds;
        usage.started_seconds = pages->started_seconds;
        const struct metrics_facts facts = {.version = pages->version,
                                            .sandbox = sandbox_in_force(),
                                            .ledger = ledger,
                                            .levels = levels,
                                            .usage = known ? &usage : NULL,
                                            .now_ns = clock_monotonic_ns()};
        struct metrics_writing writing = {&facts, format};
        written = page_write(write_metrics, &writing, out);
    }
    pipeline_levels_free(levels);
    ledger_snapshot_free(ledger);
    return written;
}

static void write_sources(void *context, struct output *out)
{
    struct metrics_pages *pages = context;
    sender_report_write(pipeline_senders(pages->pipeline), out);
}

bool metrics_pages_sources(struct metrics_pages *pages, struct output *out)
{
    return page_write(write_sources, pages, out);
}

struct health_writing {
    const struct health_watch *health;
    bool known; /* false if memory was short */
    enum health_status status;
};

static void write_health(void *context, struct output *out)
{
    struct health_writing *writing = context;
    writing->known = health_watch_report(writing->health, out, &writing->status);
}

bool metrics_pages_health(struct metrics_pages *pages, struct output *out,
                          enum health_status *status)
{
    struct health_writing writing = {.health = pages->health};
    if (!page_write(write_health, &writing, out))
        return false;
    *status = writing.status;
    if (!writing.known)
        free(out->data);
    return writing.known;
}
