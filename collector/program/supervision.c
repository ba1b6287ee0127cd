#include "collector/program/supervision.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/service_manager.h"

#define SECOND_NS INT64_C(1000000000)

/*
 * Interval in nanoseconds at which the status line is made. It is reported only if it has
 * changed.
 */
#define STATUS_NS (5 * SECOND_NS)

/*
 * Number of checks in each watchdog period. It is more than one, so that one late check does no
 * harm.
 */
#define LOOKS 3

/* Nanoseconds that are added to the limit of a stop, for writing the ledger and joining threads. */
#define STOP_MARGIN_NS (5 * SECOND_NS)

struct supervision {
    struct service_manager *manager;
    struct pipeline *pipeline; /* NULL before supervision has begun, and while a stop with a
                                * deadline runs */
    int64_t status_due_ns;
    int64_t counted_ns; /* time when `received` was read */
    uint64_t received;
    char status[128]; /* the line that was reported last */
    int64_t look_ns;  /* interval of the checks for stuck threads; 0 means no watchdog */
    int64_t look_due_ns;
    bool stuck; /* the last check has found and logged a stuck thread */
};

/* --- creating and destroying ------------------------------------------------------------------ */

static bool reported(int result, const struct error *error)
{
    if (result != 0)
        log_line(LOG_WARNING, "%s", error->text);
    return result == 0;
}

struct supervision *supervision_create(void)
{
    struct service_manager *manager;
    struct error error;
    if (!reported(service_manager_find(&manager, &error), &error) || manager == NULL)
        return NULL;
    struct supervision *supervision = calloc(1, sizeof *supervision);
    if (supervision == NULL) {
        log_line(LOG_WARNING, "out of memory: nothing will be reported to the service manager");
        service_manager_destroy(manager);
        return NULL;
    }
    supervision->manager = manager;
    supervision->look_ns = service_manager_patience(manager) / LOOKS;
    return supervision;
}

void supervision_destroy(struct supervision *supervision)
{
    if (supervision == NULL)
        return;
    service_manager_destroy(supervision->manager);
    free(supervision);
}

/* --- reports ---------------------------------------------------------------------------------- */

/* Sums over all listeners. */
struct ingest_sums {
    uint64_t received;
    uint64_t kernel_drops;
};

/* Returns false if memory is short. */
static bool sum_up(const struct pipeline *pipeline, struct ingest_sums *sums)
{
    struct ledger_snapshot *ledger = pipeline_glance(pipeline);
    *sums = (struct ingest_sums){0};
    if (ledger == NULL)
        return false;
    for (size_t i = 0; i < ledger->listener_count; i++) {
        sums->received += ledger->listeners[i].received;
        sums->kernel_drops += ledger->listeners[i].kernel_drops;
    }
    ledger_snapshot_free(ledger);
    return true;
}

static void report_status(struct supervision *supervision, int64_t now_ns)
{
    char line[sizeof supervision->status];
    struct error error;
    struct ingest_sums ingest;
    supervision->status_due_ns = now_ns + STATUS_NS;
    if (!sum_up(supervision->pipeline, &ingest))
        return;
    int64_t passed_ns = now_ns - supervision->counted_ns;
    double rate = 0;
    if (passed_ns > 0)
        rate = (double)(ingest.received - supervision->received) * (double)SECOND_NS /
               (double)passed_ns;
    supervision->counted_ns = now_ns;
    supervision->received = ingest.received;
    snprintf(line, sizeof line,
             "%.0f datagrams/s, %" PRIu64 " received, %" PRIu64 " dropped by the kernel", rate,
             ingest.received, ingest.kernel_drops);
    if (strcmp(line, supervision->status) == 0)
        return;
    if (reported(service_manager_status(supervision->manager, line, &error), &error))
        memcpy(supervision->status, line, sizeof line);
}

/*
 * Checks for stuck threads. While a thread is stuck the watchdog is not reset, so that the service
 * manager restarts the process.
 */
static void supervision_look(struct supervision *supervision, int64_t now_ns)
{
    struct error error;
    const char *stuck = pipeline_stuck(supervision->pipeline);
    supervision->look_due_ns = now_ns + supervision->look_ns;
    if (stuck == NULL)
        reported(service_manager_alive(supervision->manager, &error), &error);
    if (stuck != NULL && !supervision->stuck)
        log_line(LOG_ERROR,
                 "%s: its thread is stuck; the watchdog is not reset, so that the service manager "
                 "restarts the process",
                 stuck);
    if (stuck == NULL && supervision->stuck)
        log_line(LOG_INFO, "no thread is stuck any more");
    supervision->stuck = stuck != NULL;
}

void supervision_begin(struct supervision *supervision, struct pipeline *pipeline)
{
    if (supervision == NULL)
        return;
    struct error error;
    int64_t now_ns = clock_monotonic_ns();
    RULE(supervision->pipeline == NULL, "the supervision of a run begins once");
    supervision->pipeline = pipeline;
    supervision->counted_ns = now_ns;
    reported(service_manager_ready(supervision->manager, &error), &error);
    report_status(supervision, now_ns);
    supervision->look_due_ns = supervision->look_ns == 0 ? INT64_MAX : now_ns;
}

void supervision_reloading(struct supervision *supervision)
{
    struct error error;
    if (supervision != NULL && supervision->pipeline != NULL)
        reported(service_manager_reloading(supervision->manager, &error), &error);
}

void supervision_reloaded(struct supervision *supervision)
{
    struct error error;
    if (supervision != NULL && supervision->pipeline != NULL)
        reported(service_manager_ready(supervision->manager, &error), &error);
}

void supervision_stopping(struct supervision *supervision, int64_t most_ns)
{
    struct error error;
    if (supervision == NULL || most_ns == INT64_MAX)
        return;
    supervision->pipeline = NULL;
    reported(service_manager_stopping(supervision->manager, most_ns + STOP_MARGIN_NS, &error),
             &error);
}

int64_t supervision_due(const struct supervision *supervision)
{
    if (supervision == NULL || supervision->pipeline == NULL)
        return INT64_MAX;
    return supervision->look_due_ns < supervision->status_due_ns ? supervision->look_due_ns
                                                                 : supervision->status_due_ns;
}

void supervision_serve(struct supervision *supervision, int64_t now_ns)
{
    if (supervision_due(supervision) > now_ns)
        return;
    if (supervision->look_due_ns <= now_ns)
        supervision_look(supervision, now_ns);
    if (supervision->status_due_ns <= now_ns)
        report_status(supervision, now_ns);
}
