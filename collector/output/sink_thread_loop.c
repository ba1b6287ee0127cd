/*
 * Does the work of a sink's thread, step by step: takes batches, writes them, and serves the writer
 * when it is due.
 */
#include <inttypes.h>

#include "collector/output/sink_thread_state.h"
#include "collector/platform/clock.h"

/* --- making room in the queues ---------------------------------------------------------------- */

static void evict_batch(void *context, struct batch *batch)
{
    struct sink_thread *sink = context;
    sink->evicted += batch->count;
    sink_writer_count_evicted(sink->writer, batch->count);
    sink_writer_count_raw_refused(sink->writer, batch->raw_count);
    batch_release(batch);
}

/* Logs evicted records. During an outage, the log lines about the outage count them instead. */
static void log_eviction(struct sink_thread *sink)
{
    uint64_t left_out;
    if (sink_outage_is_open(&sink->writer->outage))
        sink->evicted = 0;
    if (sink->evicted == 0 || !log_allowed(&sink->eviction_log, &left_out))
        return;
    log_about(LOG_WARNING, LOG_OF_SINK, sink->writer->options.name,
              "evicted %" PRIu64 " records, because this sink is behind", sink->evicted);
    sink->evicted = 0;
}

/*
 * Evicts the oldest batches from queues whose producers requested room. Returns true if a producer
 * requested it. A sink that no longer writes needs no room: the batches that it takes fail at once.
 */
static bool make_queue_room(struct sink_thread *sink)
{
    if (sink->writer->state != SINK_WRITING ||
        !sink_queues_make_room(&sink->queues, evict_batch, sink))
        return false;
    sink_writer_publish(sink->writer);
    log_eviction(sink);
    return true;
}

/* --- writing ---------------------------------------------------------------------------------- */

/*
 * Writes the collected records. Returns false if it stopped half-way; the caller must then call it
 * again before any other operation.
 */
static bool flush_writer(struct sink_thread *sink)
{
    RULE(sink->unfinished == UNFINISHED_NONE || sink->unfinished == UNFINISHED_FLUSH,
         "an operation that stopped half-way is continued first");
    sink->unfinished = UNFINISHED_FLUSH;
    if (!sink->writer->ops->flush(sink->writer))
        return false;
    sink->unfinished = UNFINISHED_NONE;
    sink_writer_goes_on(sink->writer);
    return true;
}

/*
 * Reopens the destination between two batches. Records that were taken before are written to the
 * old file. If that fails, the flush reopens the file. Returns as flush_writer does.
 */
static bool reopen_destination(struct sink_thread *sink)
{
    struct sink_writer *writer = sink->writer;
    RULE(sink->unfinished == UNFINISHED_NONE || sink->unfinished == UNFINISHED_REOPEN,
         "a reopening comes between two batches");
    sink->unfinished = UNFINISHED_REOPEN;
    if (!writer->ops->flush(writer))
        return false;
    sink->unfinished = UNFINISHED_NONE;
    writer->ops->reopen(writer);
    sink_writer_note_delay(writer);
    return true;
}

/*
 * Calls the writer's `serve` if it is due, even if there are batches to write. Sets *due to the
 * time of the next call. Returns as flush_writer does.
 */
static bool serve_due(struct sink_thread *sink, int64_t *due)
{
    struct sink_writer *writer = sink->writer;
    *due = writer->ops->due(writer);
    if (*due == INT64_MAX && sink->unfinished == UNFINISHED_NONE)
        return true;
    int64_t now = clock_monotonic_ns();
    if (now < *due && sink->unfinished == UNFINISHED_NONE)
        return true;
    sink->unfinished = UNFINISHED_SERVE;
    if (!writer->ops->serve(writer, now))
        return false;
    sink->unfinished = UNFINISHED_NONE;
    *due = writer->ops->due(writer);
    return true;
}

/*
 * Writes the next batch, or continues to write it. Sets *none to true if there is no batch. Returns
 * as flush_writer does.
 */
static bool write_batch(struct sink_thread *sink, bool *none)
{
    RULE(sink->unfinished == UNFINISHED_NONE || sink->unfinished == UNFINISHED_BATCH,
         "a batch is written between two other operations");
    if (sink->unfinished != UNFINISHED_BATCH) {
        struct batch *batch = sink_queues_take(&sink->queues);
        *none = batch == NULL;
        if (*none)
            return true;
        taken_batch_begin(&sink->taken, batch);
    }
    sink->unfinished = UNFINISHED_BATCH;
    if (!taken_batch_write(&sink->taken, sink->writer))
        return false;
    sink->unfinished = UNFINISHED_NONE;
    bool over = sink->writer->state == SINK_WRITING && deadline_is_over(&sink->writer->deadline);
    return !over || flush_writer(sink);
}

/*
 * Does the work that must come before the next batch: continues an operation that stopped half-way,
 * reopens the destination if requested, and serves the writer if it is due.
 */
static bool serve_before_batch(struct sink_thread *sink, int64_t *due)
{
    struct sink_writer *writer = sink->writer;
    bool wanted = atomic_load_explicit(&writer->reopen_wanted, memory_order_relaxed);
    if (sink->unfinished == UNFINISHED_REOPEN || (sink->unfinished == UNFINISHED_NONE && wanted))
        if (!reopen_destination(sink))
            return false;
    return serve_due(sink, due);
}

enum sink_step sink_thread_step(struct sink_thread *sink, int64_t *due)
{
    struct sink_writer *writer = sink->writer;
    RULE(rule_is_owner(&sink->owner), "a sink writes in one thread");
    if (!sink->stepped)
        sink_writer_note_delay(writer);
    sink->stepped = true;
    heartbeat_work(writer->heartbeat);
    *due = INT64_MAX;
    if (sink->unfinished == UNFINISHED_NONE && writer->ops->catch_up != NULL)
        writer->ops->catch_up(writer);
    bool taking = sink->unfinished == UNFINISHED_BATCH || sink->unfinished == UNFINISHED_FLUSH;
    if (!taking && !serve_before_batch(sink, due))
        return STEP_BLOCKED;
    make_queue_room(sink);
    if (sink->unfinished == UNFINISHED_FLUSH)
        return flush_writer(sink) ? STEP_TAKEN : STEP_BLOCKED;
    bool none = false;
    if (!write_batch(sink, &none))
        return STEP_BLOCKED;
    if (!none)
        return STEP_TAKEN;
    if (writer->ops->has_work(writer))
        return flush_writer(sink) ? STEP_TAKEN : STEP_BLOCKED;
    return sink_queues_have_finished(&sink->queues) ? STEP_END : STEP_NONE;
}

/* --- the loop of the thread ------------------------------------------------------------------- */

void sink_thread_evict_after_wait(struct sink_thread *sink)
{
    sink->writer->made_room = make_queue_room(sink);
}

static void wait_blocked(struct sink_thread *sink)
{
    sink_thread_wait_blocked(sink);
    sink_thread_evict_after_wait(sink);
}

static void sink_thread_end(struct sink_thread *sink)
{
    struct sink_writer *writer = sink->writer;
    RULE(sink->taken.batch == NULL && sink->unfinished == UNFINISHED_NONE,
         "a sink finishes after its last batch");
    RULE(!atomic_load(&sink->finished), "a sink finishes once");
    while (!writer->ops->flush(writer))
        wait_blocked(sink);
    if (writer->ops->finish != NULL)
        writer->ops->finish(writer);
    sink_outage_leave(&writer->outage, writer->options.name, writer->options.counters);
    heartbeat_wait(writer->heartbeat);
    atomic_store(&sink->finished, true);
    if (writer->options.ended != NULL)
        writer->options.ended(writer->options.ended_context);
}

void sink_thread_run(struct sink_thread *sink)
{
    int64_t due;
    enum sink_step step;
    while ((step = sink_thread_step(sink, &due)) != STEP_END) {
        RULE(step != STEP_BLOCKED || sink->unfinished != UNFINISHED_NONE,
             "a sink that blocks has stopped half-way");
        if (step == STEP_BLOCKED)
            wait_blocked(sink);
        else if (step == STEP_NONE)
            sink_thread_sleep(sink, due);
    }
    sink_thread_end(sink);
}
