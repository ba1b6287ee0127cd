#include "collector/receive/ingest_thread.h"

#include "collector/base/rule.h"

void ingest_thread_close(struct ingest_thread *thread)
{
    for (size_t i = 0; i < INGEST_SHARED; i++)
        RULE(thread->shared[i].batch == NULL, "a thread ends without an open shared batch");
    ingest_thread_commit(thread);
    dead_letter_queue_close(thread->dead_letters);
}

void ingest_thread_commit(struct ingest_thread *thread)
{
    sequence_queue_commit(&thread->numbers);
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
