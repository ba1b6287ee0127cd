/*
 * A connection of a stream listener: its bytes become frames, the frames become records, and
 * answers are sent in the order of the frames if the schema's protocol has them.
 *
 * A connection is served in steps, so that several can be served together: stream_connection_read
 * receives and fills batches; the caller offers the batches to the sinks (ingest_seal);
 * stream_connection_answer sends the answers. An answer therefore confirms that every sink's queue
 * has the record. Only the owner of the connection calls these functions
 * (collector/receive/stream_slots.h). No memory is allocated.
 *
 * Its files: stream_connection_state.h has the state, stream_intake.h handles frames,
 * stream_answers.h sends answers, stream_pending.h keeps incomplete frames, stream_times.h has the
 * time limits.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_CONNECTION_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_CONNECTION_H

#include "collector/receive/stream_connection_state.h"

/* Bytes of a block for a listener with this max_frame. */
size_t stream_block_size(size_t max_frame);

/*
 * Begins an accepted connection. `share` must outlive it. Returns false, with nothing begun, if out
 * of memory.
 */
bool stream_connection_begin(struct stream_connection *connection, wait_handle socket,
                             const struct address *peer, struct stream_share *share, int64_t now_ns,
                             const struct stream_settings *settings);

/*
 * Receives, and handles complete frames while there is room for their answers. `room`: the sinks'
 * queues have room; without it, nothing is received or handled. A connection that is past its
 * deadline (due_ns, pressure_ns) ends if nothing has arrived for it. Returns how many frames were
 * taken or refused.
 */
size_t stream_connection_read(struct stream_connection *connection,
                              const struct stream_settings *settings, struct stream_worker *worker,
                              bool room, int64_t now_ns);

/* Sends answers, and returns what the connection needs next. */
enum stream_next stream_connection_answer(struct stream_connection *connection,
                                          const struct stream_settings *settings, int64_t now_ns);

/*
 * Applies changed settings, while the listener's threads are quiescent: updates the deadline and,
 * if the listener's blocks are no longer `before`, moves pending bytes to one of the new blocks.
 */
void stream_connection_follow(struct stream_connection *connection,
                              const struct stream_settings *settings, struct stream_blocks *before);

/* Uses another host's share from now on, because the peer has proved its name. */
void stream_connection_set_share(struct stream_connection *connection,
                                 const struct stream_settings *settings,
                                 struct stream_share *share);

/* Whether the connection drains and only waits for the remainder of a frame. */
bool stream_connection_awaits_remainder(const struct stream_connection *connection);

/* Ends the connection as STREAM_STOPPED or STREAM_FRAME_CUT: the time for the stop is over. */
void stream_connection_give_up(struct stream_connection *connection);

/* Ends the connection as STREAM_UNWATCHED: it cannot be armed. */
void stream_connection_fail(struct stream_connection *connection);

/* Closes the channel and releases the block. The caller closes the socket. */
void stream_connection_end(struct stream_connection *connection,
                           const struct stream_settings *settings);

#endif
