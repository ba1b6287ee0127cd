/*
 * Handles a reader that reports its progress and may end: a command. Records are in flight until
 * the command has read them.
 */
#include "collector/base/rule.h"
#include "collector/output/stream_writer_state.h"
#include "collector/platform/clock.h"

/*
 * Called when the reader has ended. Counts the records as lost that were written to it, in part or
 * whole, and that it has not read. The next reader begins with the record after these.
 */
static void lose_unread(struct stream_writer *stream, enum record_failure reason)
{
    size_t lost = 0;
    for (; stream->count != 0 && stream->committed_to < stream_accepted(stream); lost++)
        stream_writer_take_first(stream);
    if (stream->committed_to > stream_accepted(stream))
        stream->sent = (size_t)(stream->committed_to - stream->block_at);
    RULE(stream->sent <= stream->out.used, "a record that is lost is in the block or before it");
    sink_writer_count_failed_by(&stream->base, reason, lost);
    stream->reader_at = stream_accepted(stream);
    if (stream->base.state == SINK_WRITING)
        stream_writer_look_at_beginning(stream);
}

/*
 * Requests that the destination replaces the reader, because a reopening is requested while the
 * reader has a part of the block. This cannot wait until the block is written, because a reader
 * that no longer reads would then never be replaced. If the reader has already ended, its successor
 * fulfils the request.
 */
void stream_writer_announce_restart(struct stream_writer *stream)
{
    struct sink_writer *writer = &stream->base;
    if (stream->restart_announced || !atomic_load(&writer->reopen_wanted))
        return;
    writer->destination->stream->restart(writer->destination, true);
    stream->restart_announced = !writer->unattended;
    if (writer->unattended)
        atomic_store(&writer->reopen_wanted, false);
}

void stream_writer_hasten_reader(struct stream_writer *stream)
{
    const struct sink_writer *writer = &stream->base;
    const struct stream_ops *ops = writer->destination->stream;
    if (stream->hastened || !writer->unattended || !deadline_is_set(&writer->deadline) ||
        deadline_is_over(&writer->deadline))
        return;
    stream->hastened = true;
    ops->restart(writer->destination, true);
}

static void complete_restart(struct stream_writer *stream)
{
    if (stream->restart_announced)
        atomic_store(&stream->base.reopen_wanted, false);
    stream->restart_announced = false;
}

void stream_writer_follow_reader(struct stream_writer *stream, enum record_failure reason)
{
    struct sink_writer *writer = &stream->base;
    size_t unread = 0;
    enum reader_state state = writer->destination->stream->progress(writer->destination, &unread);
    uint64_t given = stream_accepted(stream) - stream->reader_at; /* bytes of records, without the
                                                                   * head */
    uint64_t read_to = stream_accepted(stream) - (unread < given ? unread : given);
    stream_writer_commit_to(stream, read_to);
    if (state == READER_ENDED) {
        if (reason == FAILED_STOP_TIMEOUT && read_to != stream->committed_to)
            stream_writer_log_cut(stream);
        stream_writer_take_off_bytes(stream, unread);
        lose_unread(stream, reason);
        complete_restart(stream);
    }
    sink_writer_note_reader(writer, state == READER_READS);
    sink_writer_publish(writer);
}

void stream_writer_attend(struct stream_writer *stream)
{
    struct destination *destination = stream->base.destination;
    if (clock_monotonic_ns() >= destination->stream->due(destination))
        destination->stream->tick(destination);
    stream_writer_follow_reader(stream, FAILED_COMMAND_ENDED);
}
