/* Runs a sink without a thread of its own: its host calls it to write, for a quantum at a time. */
#include "collector/output/sink_thread_state.h"
#include "collector/platform/clock.h"

/*
 * Nanoseconds between two checks for a reader that has closed the pipe, while there are no records
 * to write.
 */
#define LOOK_NS INT64_C(100000000)

/* The maximum pause in nanoseconds. The pause is doubled each time the destination blocks. */
#define LONGEST_RETRY_NS INT64_C(16000000)

/*
 * Checks for a reader that has closed the pipe, while there are no records to write. Returns the
 * time of the next check.
 */
static int64_t look_at_reader(struct sink_thread *sink, int64_t now)
{
    struct sink_writer *writer = sink->writer;
    wait_handle handle = NO_HANDLE;
    if (writer->state == SINK_WRITING)
        handle = writer->ops->handle(writer);
    if (handle == NO_HANDLE)
        return INT64_MAX;
    if (now >= sink->looks_ns) {
        sink->looks_ns = now + LOOK_NS;
        if (wakeup_wait(writer->wakeup, handle, false, 0) == WAKEUP_BROKEN)
            writer->ops->broken(writer);
    }
    return sink->looks_ns;
}

/*
 * Returns true if a sink that stopped half-way may continue now; otherwise sets *next_ns to the
 * time of the next check. The function consumes a wake-up. After it has returned true the sink must
 * continue, because no second wake-up will come.
 */
static bool may_go_on(struct sink_thread *sink, int64_t *next_ns)
{
    struct sink_writer *writer = sink->writer;
    const struct sink_block *block = &writer->block;
    int64_t now = clock_monotonic_ns();
    bool over = now >= block->until_ns || deadline_is_over(&writer->deadline);
    enum wakeup_reason reason =
        over ? WAKEUP_TIMEOUT : wakeup_wait(writer->wakeup, block->handle, block->want_write, 0);
    sink_writer_note_wait(writer, reason);
    if (!over && (reason == WAKEUP_TIMEOUT || reason == WAKEUP_FAILED)) {
        *next_ns = now + sink->retry_ns < block->until_ns ? now + sink->retry_ns : block->until_ns;
        sink->retry_ns =
            2 * sink->retry_ns < LONGEST_RETRY_NS ? 2 * sink->retry_ns : LONGEST_RETRY_NS;
        return false;
    }
    sink->retry_ns = SINK_FIRST_RETRY_NS;
    sink_thread_evict_after_wait(sink);
    return true;
}

int64_t sink_thread_run_quantum(struct sink_thread *sink)
{
    RULE(sink->hosted && sink->started, "a host runs a sink that has started");
    int64_t next_ns;
    int64_t now = clock_monotonic_ns();
    int64_t end_ns = now + SINK_QUANTUM_NS;
    int64_t due = INT64_MAX;
    enum sink_step step;
    do {
        if (sink->unfinished != UNFINISHED_NONE && !may_go_on(sink, &next_ns))
            return next_ns;
        step = sink_thread_step(sink, &due);
        now = clock_monotonic_ns();
    } while ((now < end_ns && (step == STEP_TAKEN || step == STEP_BLOCKED)) ||
             (step == STEP_TAKEN && sink_queues_exceed(&sink->queues, SINK_QUANTUM_LEAVES)));
    if (step == STEP_TAKEN || step == STEP_BLOCKED)
        return now;
    int64_t look = look_at_reader(sink, now);
    return due < look ? due : look;
}

void sink_thread_finish(struct sink_thread *sink)
{
    RULE(sink->hosted, "a sink of its own thread is finished by that thread");
    sink_thread_run(sink);
}
