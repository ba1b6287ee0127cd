#include "collector/output/sink_outage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/thread.h"

#define SECOND INT64_C(1000000000)

/*
 * Size in bytes of the text that lists an outage's losses. It has room for every term and reason,
 * each with the largest number.
 */
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

void sink_outage_set_reason(struct sink_outage *outage, const char *what)
{
    int64_t now = clock_monotonic_ns();
    mutex_lock(outage->lock);
    if (!outage->has_reason) {
        outage->reason_since_ns = now;
    } else if (*what == '\0') {
        outage->past = (struct sink_past){.since_ns = outage->reason_since_ns, .until_ns = now};
        memcpy(outage->past.reason, outage->reason, SINK_REASON_SIZE);
    }
    snprintf(outage->reason, sizeof outage->reason, "%s", what);
    mutex_unlock(outage->lock);
    outage->has_reason = *what != '\0';
}

void sink_outage_copy_past(const struct sink_outage *outage, struct sink_past *past)
{
    mutex_lock(outage->lock);
    *past = outage->past;
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

/* A growing text. Additions to a full text are dropped. */
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

bool sink_outage_wants(const struct sink_outage *outage, int64_t now_ns)
{
    return outage->trouble.since_ns == 0 || now_ns >= outage->noted_ns + SECOND ||
           now_ns >= sink_outage_due(outage);
}

bool sink_outage_note(struct sink_outage *outage, const struct sink_counters *counters,
                      const char *what)
{
    int64_t now = clock_monotonic_ns();
    if (outage->trouble.since_ns == 0 && outage->trouble.unlogged == 0)
        outage->before = losses_of(outage, counters);
    outage->noted_ns = now;
    sink_outage_set_reason(outage, what);
    atomic_store_explicit(&outage->is_open, true, memory_order_relaxed);
    return log_trouble_note(&outage->trouble, &outage->budget, now);
}

bool sink_outage_is_open(const struct sink_outage *outage)
{
    return atomic_load_explicit(&outage->is_open, memory_order_relaxed);
}

static double seconds_since(int64_t since_ns)
{
    return (double)(clock_monotonic_ns() - since_ns) / (double)SECOND;
}

void sink_outage_log(const struct sink_outage *outage, const char *name,
                     const struct sink_counters *counters, const char *what, bool is_silent,
                     const char *waiting)
{
    const struct log_trouble *trouble = &outage->trouble;
    struct list losses;
    char lasting[64] = "", others[64] = "";
    list_losses(&losses, outage, counters);
    if (!is_silent && seconds_since(trouble->since_ns) >= 1)
        snprintf(lasting, sizeof lasting, " for %.0f s", seconds_since(trouble->since_ns));
    if (trouble->unlogged != 0)
        snprintf(others, sizeof others, "; %" PRIu64 " other outage%s since the last line",
                 trouble->unlogged, trouble->unlogged == 1 ? "" : "s");
    log_about(LOG_ERROR, LOG_OF_SINK, name, "%s%s%s%s%s%s%s", what,
              is_silent ? "" : "; trying again", lasting, others, waiting,
              losses.used == 0 ? "" : "; records lost since: ", losses.text);
}

void sink_outage_end(struct sink_outage *outage, const char *name,
                     const struct sink_counters *counters, const char *how)
{
    const int64_t since_ns = outage->trouble.since_ns;
    struct list losses;
    if (outage->has_reason)
        sink_outage_set_reason(outage, "");
    if (since_ns == 0)
        return;
    atomic_store_explicit(&outage->is_open, false, memory_order_relaxed);
    if (!log_trouble_end(&outage->trouble, &outage->budget, clock_monotonic_ns()))
        return;
    list_losses(&losses, outage, counters);
    log_about(LOG_INFO, LOG_OF_SINK, name, "%s after %.1f s; records lost since: %s", how,
              seconds_since(since_ns), losses.used == 0 ? "none" : losses.text);
}

void sink_outage_leave(const struct sink_outage *outage, const char *name,
                       const struct sink_counters *counters)
{
    struct list losses;
    if (outage->trouble.since_ns == 0)
        return;
    list_losses(&losses, outage, counters);
    if (losses.used != 0)
        log_about(LOG_ERROR, LOG_OF_SINK, name,
                  "this sink ends in an outage that began %.1f s ago; records lost since: %s",
                  seconds_since(outage->trouble.since_ns), losses.text);
}

int64_t sink_outage_due(const struct sink_outage *outage)
{
    return outage->trouble.since_ns == 0 ? 0 : log_trouble_due(&outage->trouble, &outage->budget);
}

void sink_outage_add_refused(struct sink_outage *outage, enum record_refusal reason,
                             uint64_t records)
{
    atomic_fetch_add_explicit(&outage->refused[reason], records, memory_order_relaxed);
}
