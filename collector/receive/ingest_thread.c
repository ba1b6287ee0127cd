#include "collector/receive/ingest_thread.h"

void ingest_thread_close(struct ingest_thread *thread)
{
    ingest_thread_commit(thread);
    dead_letter_queue_close(thread->letters);
}

void ingest_thread_commit(struct ingest_thread *thread)
{
    sequence_queue_commit(&thread->numbers);
}

/* --- batches ---------------------------------------------------------------------------------- */

void open_batch_seal(struct ingest_thread *thread, struct open_batch *open)
{
    struct batch *batch = open->batch;
    if (batch == NULL)
        return;
    open->batch = NULL;
    if (batch_is_empty(batch)) {
        batch_release(batch);
        return;
    }
    ingest_thread_commit(thread); /* who sees it written sees it counted */
    histogram_note(&thread->measures->batch_records, histogram_counts, batch->count);
    fan_out_offer(thread->fan_out, batch);
}

/* When it was opened, at the latest. */
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

void ingest_thread_seal(struct ingest_thread *thread)
{
    for (size_t i = 0; i < INGEST_SHARED; i++)
        open_batch_seal(thread, &thread->shared[i]);
}

void ingest_thread_drained(struct ingest_thread *thread, int64_t now_ns, int64_t next_ns)
{
    for (size_t i = 0; i < INGEST_SHARED; i++)
        open_batch_drained(thread, &thread->shared[i], now_ns, next_ns);
}

int64_t ingest_thread_seal_if_due(struct ingest_thread *thread, int64_t now_ns)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < INGEST_SHARED; i++) {
        int64_t due = open_batch_seal_if_due(thread, &thread->shared[i], now_ns);
        first = due < first ? due : first;
    }
    return first;
}
