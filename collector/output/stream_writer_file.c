#include "collector/output/stream_writer_state.h"

void stream_writer_look_at_beginning(struct stream_writer *stream)
{
    struct destination *destination = stream->base.destination;
    const struct stream_ops *ops = destination->stream;
    bool due =
        stream->base.head.used != 0 && ops->at_beginning != NULL && ops->at_beginning(destination);
    stream->head_sent = due ? 0 : stream->base.head.used;
    stream->begun = true;
}

void stream_writer_open_anew(struct stream_writer *stream)
{
    const char *name = stream->base.options.name;
    struct error error;
    atomic_store(&stream->base.reopen_wanted, false);
    sink_writer_begin_io(&stream->base);
    int result = stream->base.destination->stream->reopen(stream->base.destination, &error);
    sink_writer_end_io(&stream->base);
    if (result != 0) {
        log_about(LOG_ERROR, LOG_OF_SINK, name, "cannot reopen, going on with the old file: %s",
                  error.text);
        return;
    }
    stream_writer_look_at_beginning(stream);
    log_about(LOG_INFO, LOG_OF_SINK, name, "reopened");
}

/*
 * Reopens the file while writes fail, without waiting for the end of the block, because writes may
 * succeed in the new file. If the old file has the beginning of a record, the beginning is removed,
 * and the whole record is written to the new file. If it cannot be removed, as from a pipe, the
 * file is not reopened now.
 */
static void reopen_failing(struct stream_writer *stream)
{
    if (stream->base.destination->stream->reopen != NULL && stream_writer_roll_back(stream))
        stream_writer_open_anew(stream);
}

/*
 * Closes the file and opens its name again if it was moved, removed, emptied or cut. An operator
 * does that to make room on a full disk, and a removed file frees its space only when it is closed.
 */
static void leave_failing(struct stream_writer *stream)
{
    struct destination *destination = stream->base.destination;
    const struct stream_ops *ops = destination->stream;
    if (ops->was_moved == NULL || !ops->was_moved(destination) || !stream_writer_roll_back(stream))
        return;
    if (ops->prepare != NULL)
        ops->prepare(destination);
    stream_writer_look_at_beginning(stream);
}

void stream_writer_change_failing(struct stream_writer *stream)
{
    if (atomic_load_explicit(&stream->base.reopen_wanted, memory_order_relaxed))
        reopen_failing(stream);
    else
        leave_failing(stream);
}

void stream_writer_prepare(struct stream_writer *stream)
{
    const struct stream_ops *ops = stream->base.destination->stream;
    if (stream->base.state != SINK_WRITING || (stream->begun && stream->out.used == 0))
        return;
    sink_writer_begin_io(&stream->base);
    if (ops->prepare != NULL)
        ops->prepare(stream->base.destination);
    sink_writer_end_io(&stream->base);
    if (!stream->begun || ops->prepare != NULL)
        stream_writer_look_at_beginning(stream);
}
