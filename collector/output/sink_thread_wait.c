/*
 * Lets a sink's thread sleep, and lets other threads wake it.
 *
 * RULE: the sink's thread first sets `sleeping`, and then checks whether there is work. A thread
 * that has work for the sink first queues the work, and then reads `sleeping`. All these accesses
 * are sequentially consistent, so either the sink sees the work, or the other thread sees
 * `sleeping` and wakes the sink.
 */
#include "collector/output/sink_thread_state.h"
#include "collector/platform/clock.h"

void sink_thread_sleep(struct sink_thread *sink, int64_t due_ns)
{
    struct sink_writer *writer = sink->writer;
    atomic_store(&sink->sleeping, true);
    if (sink_queues_are_empty(&sink->queues) && !sink_queues_have_finished(&sink->queues) &&
        !atomic_load(&writer->reopen_wanted)) {
        wait_handle handle = NO_HANDLE;
        if (writer->state == SINK_WRITING)
            handle = writer->ops->handle(writer);
        int most = milliseconds_until(due_ns, clock_monotonic_ns());
        heartbeat_wait(writer->heartbeat);
        enum wakeup_reason reason = wakeup_wait(writer->wakeup, handle, false, most);
        heartbeat_work(writer->heartbeat);
        sink_writer_report_wait(writer, reason);
        if (reason == WAKEUP_BROKEN)
            writer->ops->broken(writer);
    }
    atomic_store(&sink->sleeping, false);
}

void sink_thread_wait_blocked(struct sink_thread *sink)
{
    struct sink_writer *writer = sink->writer;
    int most = milliseconds_until(writer->block.until_ns, clock_monotonic_ns());
    heartbeat_wait(writer->heartbeat);
    enum wakeup_reason reason =
        wakeup_wait(writer->wakeup, writer->block.handle, writer->block.want_write,
                    deadline_wait_ms(&writer->deadline, most));
    heartbeat_work(writer->heartbeat);
    sink_writer_note_wait(writer, reason);
}

void sink_thread_notify(struct sink_thread *sink)
{
    if (atomic_load(&sink->sleeping) && atomic_exchange(&sink->sleeping, false))
        wakeup_signal(sink->writer->wakeup);
}

void sink_thread_make_room(struct sink_thread *sink)
{
    wakeup_signal(sink->writer->wakeup);
}

static void wake_sink(struct sink_thread *sink)
{
    wakeup_signal(sink->writer->wakeup);
    if (sink->hosted)
        sink->host.wake(sink->host.context);
}

void sink_thread_reopen(struct sink_thread *sink)
{
    atomic_store(&sink->writer->reopen_wanted, true);
    wake_sink(sink);
}

void sink_thread_stop(struct sink_thread *sink, int64_t deadline_ns)
{
    deadline_bring_forward(&sink->writer->deadline, deadline_ns);
    wake_sink(sink);
}
