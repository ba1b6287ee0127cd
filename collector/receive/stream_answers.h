/*
 * Sends the answers of a connection. They wait in the connection's buffer, in the order of the
 * frames.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_ANSWERS_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/receive/stream_connection_state.h"

/* Returns true if there is room for an answer to one more frame. */
bool stream_answers_have_room(const struct stream_connection *connection,
                              const struct stream_settings *settings);

/*
 * Adds the answer to a frame, if the protocol of its schema has answers. There must be room for it.
 */
void stream_answers_add(struct stream_connection *connection,
                        const struct stream_settings *settings, struct stream_worker *worker,
                        const struct ingest_verdict *verdict);

/* Adds the answer to a control frame. The answer may be empty. */
void stream_answers_add_control(struct stream_connection *connection, struct stream_worker *worker,
                                const struct frame_streams_answer *answer);

/*
 * Sends answers. Returns true if none is left to send: all were sent, or the peer accepts no more.
 * Otherwise returns false, and *wants is the event to wait for. `now_ns` is monotonic.
 */
bool stream_answers_send(struct stream_connection *connection, enum stream_next *wants,
                         int64_t now_ns);

/* Discards present and future answers, because the peer cannot be reached. */
void stream_answers_drop(struct stream_connection *connection);

#endif
