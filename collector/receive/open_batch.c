#include "collector/receive/open_batch.h"

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/receive/ingest_thread.h"
#include "collector/record/schema_list.h"

/*
 * Longest time in nanoseconds to wait for memory pages from the system, in a thread that must not
 * lose datagrams.
 */
#define PAGES_NS INT64_C(5000000000)

/*
 * Called when no batch could be acquired; returns true if one may become available. If all batches
 * are in use, one will be released. If a batch is free, the system has no pages for it and may
 * never have any, so the result is true for at most PAGES_NS.
 */
static bool may_come(struct ingest_thread *thread, bool large)
{
    struct batch_pool_levels levels = batch_pool_levels(thread->pool);
    if ((large ? levels.large_free : levels.small_free) == 0) {
        thread->short_since_ns = 0;
        return true;
    }
    int64_t now = clock_monotonic_ns();
    if (thread->short_since_ns == 0)
        thread->short_since_ns = now;
    return now - thread->short_since_ns < PAGES_NS;
}

struct batch *open_batch_acquire(struct ingest_thread *thread, const struct listener *listener,
                                 bool owned, bool large)
{
    struct batch *batch = batch_acquire(thread->pool, large);
    while (batch == NULL && thread->lossless && may_come(thread, large) &&
           fan_out_pause(thread->fan_out))
        batch = batch_acquire(thread->pool, large);
    if (batch == NULL)
        return NULL;
    RULE(batch_is_empty(batch) && batch->schemas == NULL,
         "an acquired batch has no records and no schemas");
    thread->short_since_ns = 0;
    batch->listener = owned ? listener : NULL;
    batch->schemas = schema_slot_take(listener->schemas);
    return batch;
}

void open_batch_seal(struct ingest_thread *thread, struct open_batch *open)
{
    struct batch *batch = open->batch;
    if (batch == NULL)
        return;
    RULE(batch->schemas != NULL, "a batch keeps the schemas that decoded it");
    open->batch = NULL;
    if (batch_is_empty(batch)) {
        batch_release(batch);
        return;
    }
    sequence_queue_commit(&thread->numbers);
    histogram_note(&thread->measures->batch_records, histogram_counts, batch->count);
    fan_out_offer(thread->fan_out, batch);
}

/* Returns the time at which the batch was opened. If it is not known yet, sets it to `now_ns`. */
static int64_t opened_ns(struct open_batch *open, int64_t now_ns)
{
    if (open->opened_ns == 0)
        open->opened_ns = now_ns;
    return open->opened_ns;
}

void open_batch_drained(struct ingest_thread *thread, struct open_batch *open, int64_t now_ns,
                        int64_t next_ns)
{
    if (open->batch == NULL || !fan_out_is_idle(thread->fan_out))
        return;
    if (next_ns == now_ns || next_ns - opened_ns(open, now_ns) >= INGEST_DELAY_NS)
        open_batch_seal(thread, open);
}

int64_t open_batch_seal_if_due(struct ingest_thread *thread, struct open_batch *open,
                               int64_t now_ns)
{
    if (open->batch == NULL)
        return INT64_MAX;
    double more = (double)(INGEST_OPEN_MOST_NS - INGEST_OPEN_LEAST_NS);
    int64_t due = opened_ns(open, now_ns) + INGEST_OPEN_LEAST_NS +
                  (int64_t)(more * fan_out_backlog(thread->fan_out));
    if (due > now_ns)
        return due;
    open_batch_seal(thread, open);
    return INT64_MAX;
}
