/* Functions with which other threads read the state of a sink (sink_thread.h). */
#include "collector/output/sink_thread_state.h"

bool sink_thread_has_ended(const struct sink_thread *sink)
{
    return atomic_load_explicit(&sink->writer->ended, memory_order_relaxed);
}

int64_t sink_thread_delay_ns(const struct sink_thread *sink)
{
    return atomic_load_explicit(&sink->writer->delay_ns, memory_order_relaxed);
}

bool sink_thread_is_idle(const struct sink_thread *sink)
{
    if (sink->hosted)
        return sink->unfinished == UNFINISHED_NONE;
    return atomic_load_explicit(&sink->sleeping, memory_order_relaxed);
}

struct sink_condition sink_thread_condition(const struct sink_thread *sink)
{
    const struct sink_writer *writer = sink->writer;
    return (struct sink_condition){
        .ended = sink_thread_has_ended(sink),
        .waits_since_ns = atomic_load_explicit(&writer->waits_since_ns, memory_order_relaxed),
        .fails_since_ns = atomic_load_explicit(&writer->fails_since_ns, memory_order_relaxed),
        .in_outage = sink_outage_is_open(&writer->outage),
        .oldest_ns = atomic_load_explicit(&writer->oldest_ns, memory_order_relaxed),
        .spill_bytes = atomic_load_explicit(&writer->spill_bytes, memory_order_relaxed),
        .spill_size = writer->options.settings->delivery.spill == NULL
                          ? 0
                          : writer->options.settings->delivery.spill_size,
        .spill_kept = atomic_load_explicit(&writer->spill_kept, memory_order_relaxed),
        .spill_full_ns = atomic_load_explicit(&writer->spill_full_ns, memory_order_relaxed),
    };
}

void sink_thread_copy_reason(const struct sink_thread *sink, char reason[SINK_REASON_SIZE])
{
    sink_outage_copy_reason(&sink->writer->outage, reason);
}

void sink_thread_copy_past(const struct sink_thread *sink, struct sink_past *past)
{
    sink_outage_copy_past(&sink->writer->outage, past);
}

void sink_thread_note_refused(struct sink_thread *sink, enum record_refusal reason,
                              uint64_t records)
{
    sink_outage_add_refused(&sink->writer->outage, reason, records);
}

void sink_thread_add_figures(const struct sink_thread *sink, struct delivery_figure_totals *totals)
{
    const struct destination *destination = sink->writer->destination;
    if (destination != NULL && destination->figures != NULL)
        delivery_figures_add_to(destination->figures, destination->has_figures, totals);
}

bool sink_thread_read_series(const struct sink_thread *sink, struct series_report *report)
{
    const struct series_guard *guard = sink->writer->series.guard;
    if (guard != NULL)
        series_guard_read(guard, report);
    return guard != NULL;
}

struct queue_levels sink_thread_queue_levels(const struct sink_thread *sink)
{
    return sink_queues_levels(&sink->queues);
}

bool sink_thread_is_alive(struct sink_thread *sink)
{
    return sink->hosted || heartbeat_advanced(&sink->heartbeat, &sink->heartbeat_seen);
}

bool sink_thread_has_finished(const struct sink_thread *sink)
{
    return atomic_load(&sink->finished);
}
