/*
 * A connection of a stream listener: its bytes become frames, frames become records, and, where the
 * schema's protocol has them, answers go back in the order of the frames.
 *
 * Who serves a connection does so in steps, between which other connections may be served:
 * stream_connection_read takes what came and fills batches; the caller has these offered to the
 * sinks (ingest_seal); stream_connection_answer sends the answers. So an answer says that every
 * sink's queue has the record. One thread at a time: whoever owns the connection
 * (collector/receive/stream_server.h). Nothing is allocated.
 *
 * Its files: stream_connection_state.h has its state, stream_intake.h takes frames,
 * stream_answers.h sends answers, stream_pending.h keeps parts of frames, stream_times.h has its
 * time limits.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_CONNECTION_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_CONNECTION_H

#include "collector/receive/stream_connection_state.h"

/* Bytes of a block for a listener with this max_frame. */
size_t stream_block_size(size_t max_frame);

/*
 * One that was just accepted. The share stays the caller's, for longer than the connection. False:
 * memory is short, and nothing began.
 */
bool stream_connection_begin(struct stream_connection *connection, wait_handle socket,
                             const struct address *peer, struct stream_share *share, int64_t now_ns,
                             const struct stream_settings *settings);

/*
 * Receives, and takes the frames that are whole, as long as there is room for their answers.
 * `room`: the sinks' queues have room; without it nothing is received or taken. Who is late
 * (due_ns, pressure_ns), and for whom nothing has come all the same, ends. Returns how many frames
 * it took, or refused.
 */
size_t stream_connection_read(struct stream_connection *connection,
                              const struct stream_settings *settings, struct stream_worker *worker,
                              bool room, int64_t now_ns);

/* Sends answers, and says what it wants next. */
enum stream_next stream_connection_answer(struct stream_connection *connection,
                                          const struct stream_settings *settings, int64_t now_ns);

/*
 * While the listener's threads stand still: the settings are others now. What it holds goes into a
 * block of theirs, where `before`, which it may have one of, is not the same; and its time follows.
 */
void stream_connection_follow(struct stream_connection *connection,
                              const struct stream_settings *settings, struct stream_blocks *before);

/* It has another host's share from now on, as it has shown whose it is. */
void stream_connection_set_share(struct stream_connection *connection,
                                 const struct stream_settings *settings,
                                 struct stream_share *share);

/* Whether it drains, and is still there only for the rest of a frame. */
bool stream_connection_awaits_remainder(const struct stream_connection *connection);

/* There is no more time for it: it ends as STREAM_STOPPED, or as STREAM_FRAME_CUT. */
void stream_connection_give_up(struct stream_connection *connection);

/* It cannot be armed: it ends as STREAM_UNWATCHED. */
void stream_connection_fail(struct stream_connection *connection);

/* Ends its channel, and gives back its block; its socket is the caller's to close. */
void stream_connection_end(struct stream_connection *connection,
                           const struct stream_settings *settings);

#endif
