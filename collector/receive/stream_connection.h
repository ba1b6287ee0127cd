/*
 * A connection of a stream listener: its bytes become frames, and the frames become records. If the
 * schema's protocol has answers, they are sent in the order of the frames.
 *
 * A connection is served in steps, so that several connections can be served together:
 * stream_connection_read receives and fills batches; the caller hands the batches to the sinks
 * (ingest_seal); stream_connection_answer sends the answers. An answer therefore confirms that
 * every sink's queue has the record. Only the owner of the connection calls these functions
 * (stream_slots.h). No memory is allocated.
 *
 * Files: stream_connection_state.h has the state, stream_intake.h handles frames, stream_answers.h
 * sends answers, stream_pending.h keeps incomplete frames, stream_times.h has the time limits.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_CONNECTION_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_CONNECTION_H

#include "collector/receive/stream_connection_state.h"

/* Returns the bytes of a block for a listener with this max_frame. */
size_t stream_block_size(size_t max_frame);

/*
 * Begins an accepted connection. `share` must outlive it. Returns false, and does not begin it, if
 * out of memory.
 */
bool stream_connection_begin(struct stream_connection *connection, wait_handle socket,
                             const struct address *peer, struct stream_share *share, int64_t now_ns,
                             const struct stream_settings *settings);

/*
 * Receives, and handles complete frames while there is room for their answers. If `room` is false,
 * the sinks' queues are full, and nothing is received or handled. Ends a connection that has passed
 * its deadline (due_ns, pressure_ns), unless input has arrived. Returns how many frames were
 * handled or refused.
 */
size_t stream_connection_read(struct stream_connection *connection,
                              const struct stream_settings *settings, struct stream_worker *worker,
                              bool room, int64_t now_ns);

/* Sends answers. Returns the connection's next step. */
enum stream_next stream_connection_answer(struct stream_connection *connection,
                                          const struct stream_settings *settings, int64_t now_ns);

/*
 * Applies changed settings: updates the deadline. If the listener's blocks are not `before` any
 * more, moves pending bytes from a block of `before` to a new block. The listener's threads must be
 * quiescent.
 */
void stream_connection_follow(struct stream_connection *connection,
                              const struct stream_settings *settings, struct stream_blocks *before);

/* Moves the connection to the share of another host, because the peer has proved its name. */
void stream_connection_set_share(struct stream_connection *connection,
                                 const struct stream_settings *settings,
                                 struct stream_share *share);

/* Returns true if the connection is draining and only waits for the rest of a frame. */
bool stream_connection_awaits_remainder(const struct stream_connection *connection);

/*
 * Ends the connection as STREAM_STOPPED or STREAM_FRAME_CUT, because the deadline of the stop has
 * passed.
 */
void stream_connection_give_up(struct stream_connection *connection);

/* Ends the connection as STREAM_UNWATCHED, because arming it failed. */
void stream_connection_fail(struct stream_connection *connection);

/* Closes the channel and releases the block. The caller closes the socket. */
void stream_connection_end(struct stream_connection *connection,
                           const struct stream_settings *settings);

#endif
