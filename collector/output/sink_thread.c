#include "collector/output/sink_thread.h"

#include <stdlib.h>

#include "collector/contract/destination_stream.h"
#include "collector/output/delivery_label.h"
#include "collector/output/delivery_spill.h"
#include "collector/output/sink_kind.h"
#include "collector/output/sink_options.h"
#include "collector/output/sink_thread_state.h"

/* --- before the thread starts ----------------------------------------------------------------- */

int sink_thread_make_spill(const struct sink_thread_options *options, struct error *error)
{
    char label[DELIVERY_LABEL_SIZE];
    if (options->settings->delivery.spill == NULL)
        return 0;
    delivery_label_write(options, label);
    return delivery_spill_make(&options->settings->delivery, sink_options_record_size(options),
                               label, error);
}

int sink_thread_create(struct sink_thread **out, const struct sink_thread_options *options,
                       struct error *error)
{
    struct sink_thread *sink = calloc(1, sizeof *sink);
    if (sink != NULL)
        sink->writer = sink_kind_create_writer(options);
    if (sink == NULL || sink->writer == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a sink");
        free(sink);
        return -1;
    }
    if (sink_writer_init(sink->writer, options, error) != 0) {
        sink_thread_destroy(sink);
        return -1;
    }
    sink->retry_ns = SINK_FIRST_RETRY_NS;
    sink->writer->heartbeat = &sink->heartbeat;
    *out = sink;
    return 0;
}

int sink_thread_open(struct sink_thread *sink, struct error *error)
{
    return sink->writer->destination != NULL ? 0 : sink_writer_open(sink->writer, error);
}

/* The destination is not open, so the records fail without a flush and without `finish`. */
void sink_thread_give_up(struct sink_thread *sink)
{
    RULE(!sink->started, "a sink that has started is not given up");
    struct batch *batch;
    while ((batch = sink_queues_take(&sink->queues)) != NULL) {
        sink_writer_count_failed_by(sink->writer, FAILED_IO_ERROR, batch->count);
        sink_writer_count_raw_refused(sink->writer, batch->raw_count);
        batch_release(batch);
    }
    sink_writer_publish(sink->writer);
    atomic_store(&sink->finished, true);
}

struct batch_queue *sink_thread_add_queue(struct sink_thread *sink, size_t capacity,
                                          size_t listeners, bool shared)
{
    RULE(!atomic_load(&sink->finished), "a sink that has finished has no more queues");
    return sink_queues_add(&sink->queues, capacity, listeners, shared);
}

void sink_thread_set_host(struct sink_thread *sink, const struct sink_host *host)
{
    RULE(!sink->started, "a sink has its host before it starts");
    sink->host = *host;
    sink->hosted = true;
    sink->writer->heartbeat = host->heartbeat;
}

static void run_sink(void *argument)
{
    sink_thread_run(argument);
}

int sink_thread_start(struct sink_thread *sink, struct error *error)
{
    RULE(!sink->started, "a sink starts once");
    RULE(sink->writer->destination != NULL, "a sink is open before it starts");
    if (!sink->hosted && thread_start(&sink->thread, "sink", run_sink, sink, error) != 0)
        return -1; /* not final: the caller may try again, because the system may have a free thread
                    * later */
    sink->started = true;
    return 0;
}

/* --- while the thread runs -------------------------------------------------------------------- */

void sink_thread_reopen_moved(struct sink_thread *sink)
{
    const struct stream_ops *stream = sink->writer->destination->stream;
    if (stream != NULL && stream->reopen != NULL)
        sink_thread_reopen(sink);
}

void sink_thread_leave_spill_open(struct sink_thread *sink)
{
    atomic_store(&sink->writer->leaves_spill_open, true);
}

/* --- after the thread has ended --------------------------------------------------------------- */

void sink_thread_hand_spill_over(struct sink_thread *from, struct sink_thread *to)
{
    RULE(from->thread == NULL && !to->started, "a spill is handed over between two threads");
    RULE(from != to && to->writer->open_spill == NULL, "a sink has one spill");
    to->writer->open_spill = from->writer->open_spill;
    from->writer->open_spill = NULL;
}

void sink_thread_join(struct sink_thread *sink)
{
    thread_join(sink->thread);
    sink->thread = NULL;
}

void sink_thread_destroy(struct sink_thread *sink)
{
    if (sink == NULL)
        return;
    RULE(sink->thread == NULL, "a sink is joined before it is destroyed");
    RULE(sink->taken.batch == NULL, "a sink releases its batch before it is destroyed");
    sink_queues_clear(&sink->queues);
    sink_writer_destroy(sink->writer);
    free(sink);
}
