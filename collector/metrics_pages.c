#include "collector/metrics_pages.h"

#include <stdlib.h>

#include "collector/health.h"
#include "collector/metrics_page.h"
#include "collector/metrics_rising.h"
#include "collector/pipeline.h"
#include "collector/pipeline_levels.h"
#include "collector/thread.h"

/* A page begins with so much memory, and takes no more than that. */
#define FIRST_SIZE ((size_t)64 * 1024)
#define MOST_SIZE  ((size_t)64 * 1024 * 1024)

struct metrics_pages {
    struct pipeline *pipeline;
    const char *version;
    struct health *health;
    int64_t due_ns;
    int64_t silent_since_ns; /* of receivers, when they were last asked */
    bool stopping;
    double started_seconds; /* as it was found first: computed, it would waver; 0: not yet */
    struct metrics_rising rising;
};

struct metrics_pages *metrics_pages_create(struct pipeline *pipeline, const char *version)
{
    struct metrics_pages *pages = calloc(1, sizeof *pages);
    if (pages == NULL)
        return NULL;
    pages->pipeline = pipeline;
    pages->version = version;
    pages->silent_since_ns = INT64_MAX;
    pages->health = health_create();
    if (pages->health != NULL)
        return pages;
    free(pages);
    return NULL;
}

void metrics_pages_destroy(struct metrics_pages *pages)
{
    if (pages == NULL)
        return;
    health_destroy(pages->health);
    metrics_rising_free(&pages->rising);
    free(pages);
}

void metrics_pages_look(struct metrics_pages *pages, int64_t now_ns)
{
    if (now_ns < pages->due_ns)
        return;
    pages->due_ns = now_ns + HEALTH_EVERY_NS;
    pages->silent_since_ns = pipeline_ask_receivers(pages->pipeline, now_ns);
    struct ledger_snapshot *ledger = pipeline_glance(pages->pipeline);
    if (ledger != NULL)
        health_note(pages->health, ledger, now_ns);
    ledger_snapshot_free(ledger);
}

int64_t metrics_pages_due(const struct metrics_pages *pages)
{
    return pages->due_ns;
}

void metrics_pages_stop(struct metrics_pages *pages)
{
    pages->stopping = true;
}

/* --- pages ------------------------------------------------------------------------------------ */

typedef void page_writer(void *context, struct output *out);

/* Again with twice the memory until it fits. */
static bool write_page(page_writer *write, void *context, struct output *out)
{
    for (size_t capacity = FIRST_SIZE; capacity <= MOST_SIZE; capacity *= 2) {
        *out = (struct output){.data = malloc(capacity), .capacity = capacity};
        if (out->data == NULL)
            return false;
        write(context, out);
        if (!out->overflow)
            return true;
        free(out->data);
    }
    return false;
}

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
    struct pipeline_levels *levels = pipeline_take_levels(pages->pipeline);
    bool written = false;
    if (ledger != NULL && levels != NULL && metrics_rising_keep(&pages->rising, ledger)) {
        bool told = process_usage_read(&usage);
        if (told && pages->started_seconds == 0)
            pages->started_seconds = usage.started_seconds;
        usage.started_seconds = pages->started_seconds;
        const struct metrics_facts facts = {.version = pages->version,
                                            .ledger = ledger,
                                            .levels = levels,
                                            .usage = told ? &usage : NULL,
                                            .now_ns = clock_monotonic_ns()};
        struct metrics_writing writing = {&facts, format};
        written = write_page(write_metrics, &writing, out);
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
    return write_page(write_sources, pages, out);
}

struct health_writing {
    const struct health *health;
    const struct health_facts *facts;
    enum health_status status;
};

static void write_health(void *context, struct output *out)
{
    struct health_writing *writing = context;
    writing->status = health_report(writing->health, writing->facts, out);
}

bool metrics_pages_health(struct metrics_pages *pages, struct output *out, bool *serving)
{
    struct ledger_snapshot *ledger = pipeline_glance(pages->pipeline);
    struct pipeline_levels *levels = pipeline_take_levels(pages->pipeline);
    bool written = false;
    if (ledger != NULL && levels != NULL) {
        const struct health_facts facts = {.ledger = ledger,
                                           .levels = levels,
                                           .silent_since_ns = pages->silent_since_ns,
                                           .stopping = pages->stopping,
                                           .now_ns = clock_monotonic_ns()};
        struct health_writing writing = {.health = pages->health, .facts = &facts};
        written = write_page(write_health, &writing, out);
        *serving = writing.status == HEALTH_READY || writing.status == HEALTH_DEGRADED;
    }
    pipeline_levels_free(levels);
    ledger_snapshot_free(ledger);
    return written;
}
