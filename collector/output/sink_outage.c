#include "collector/output/sink_outage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/thread.h"

#define SECOND INT64_C(1000000000)

/* The room for the list of losses: every term and reason with the largest number. */
#define LIST_SIZE 1024

int sink_outage_init(struct sink_outage *outage, struct error *error)
{
    outage->lock = mutex_create();
    return outage->lock != NULL ? 0 : error_no_memory(error);
}

void sink_outage_destroy(struct sink_outage *outage)
{
    mutex_destroy(outage->lock);
}

static void set_reason(struct sink_outage *outage, const char *reason)
{
    mutex_lock(outage->lock);
    snprintf(outage->reason, sizeof outage->reason, "%s", reason);
    mutex_unlock(outage->lock);
}

void sink_outage_copy_reason(const struct sink_outage *outage, char reason[SINK_REASON_SIZE])
{
    mutex_lock(outage->lock);
    memcpy(reason, outage->reason, SINK_REASON_SIZE);
    mutex_unlock(outage->lock);
}

static struct outage_losses losses_of(const struct sink_outage *outage,
                                      const struct sink_counters *counters)
{
    struct outage_losses losses = {
        .evicted = counter_read(&counters->evicted),
        .unknown = counter_read(&counters->unknown),
    };
    for (int i = 0; i < REFUSAL_COUNT; i++)
        losses.refused[i] = atomic_load_explicit(&outage->refused[i], memory_order_relaxed);
    for (int i = 0; i < FAILURE_COUNT; i++)
        losses.failed[i] = counter_read(&counters->failed[i]);
    return losses;
}

/* A text that grows; a text that is full stays as it is. */
struct list {
    char text[LIST_SIZE];
    size_t used;
};

static void list_add(struct list *list, const char *term, uint64_t before, uint64_t now)
{
    if (now <= before || list->used >= sizeof list->text)
        return;
    int length = snprintf(list->text + list->used, sizeof list->text - list->used,
                          "%s%" PRIu64 " %s", list->used == 0 ? "" : ", ", now - before, term);
    if (length > 0)
        list->used += (size_t)length;
}

/* Lists the records that were lost since the beginning, by their reasons in the ledger. */
static void list_losses(struct list *list, const struct sink_outage *outage,
                        const struct sink_counters *counters)
{
    const struct outage_losses now = losses_of(outage, counters);
    list->used = 0;
    list->text[0] = '\0';
    for (int i = 0; i < REFUSAL_COUNT; i++)
        list_add(list, record_refusal_names[i], outage->before.refused[i], now.refused[i]);
    list_add(list, "evicted", outage->before.evicted, now.evicted);
    list_add(list, "unknown", outage->before.unknown, now.unknown);
    for (int i = 0; i < FAILURE_COUNT; i++)
        list_add(list, record_failure_names[i], outage->before.failed[i], now.failed[i]);
}

void sink_outage_note(struct sink_outage *outage, const char *name,
                      const struct sink_counters *counters, const char *what, bool is_silent,
                      const char *waiting)
{
    uint64_t left_out;
    int64_t now = clock_monotonic_ns();
    if (outage->since_ns == 0) {
        outage->since_ns = now;
        outage->before = losses_of(outage, counters);
    }
    set_reason(outage, what);
    if (!log_allowed(&outage->log, &left_out))
        return;
    struct list losses;
    list_losses(&losses, outage, counters);
    int64_t seconds = (now - outage->since_ns) / SECOND;
    char lasting[64] = "";
    if (!is_silent && seconds > 0)
        snprintf(lasting, sizeof lasting, " for %" PRId64 " s", seconds);
    log_about(LOG_ERROR, LOG_OF_SINK, name, "%s%s%s%s%s%s", what,
              is_silent ? "" : "; trying again", lasting, waiting,
              losses.used == 0 ? "" : "; records lost since: ", losses.text);
    outage->logged = true;
}

static double seconds_since(const struct sink_outage *outage)
{
    return (double)(clock_monotonic_ns() - outage->since_ns) / (double)SECOND;
}

void sink_outage_end(struct sink_outage *outage, const char *name,
                     const struct sink_counters *counters, const char *how)
{
    if (outage->since_ns != 0)
        set_reason(outage, "");
    if (outage->logged) {
        struct list losses;
        list_losses(&losses, outage, counters);
        log_about(LOG_INFO, LOG_OF_SINK, name, "%s after %.1f s; records lost since: %s", how,
                  seconds_since(outage), losses.used == 0 ? "none" : losses.text);
    }
    outage->logged = false;
    outage->since_ns = 0;
}

void sink_outage_leave(const struct sink_outage *outage, const char *name,
                       const struct sink_counters *counters)
{
    struct list losses;
    if (outage->since_ns == 0)
        return;
    list_losses(&losses, outage, counters);
    if (losses.used != 0)
        log_about(LOG_ERROR, LOG_OF_SINK, name,
                  "this sink ends in an outage that began %.1f s ago; records lost since: %s",
                  seconds_since(outage), losses.text);
}

int64_t sink_outage_due(const struct sink_outage *outage)
{
    return outage->since_ns == 0 ? 0 : outage->log.next_ns;
}

void sink_outage_add_refused(struct sink_outage *outage, enum record_refusal reason,
                             uint64_t records)
{
    atomic_fetch_add_explicit(&outage->refused[reason], records, memory_order_relaxed);
}
