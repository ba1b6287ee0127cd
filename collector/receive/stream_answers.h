/*
 * What goes back over a connection: answers wait in its buffer, in the order of the frames, until
 * they are sent.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_ANSWERS_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/receive/stream_connection_state.h"

/* Whether there is room for an answer to one more frame. */
bool stream_answers_have_room(const struct stream_connection *connection,
                              const struct stream_settings *settings);

/* Adds the answer to a frame, where its schema's protocol has one. There is room for it. */
void stream_answers_add(struct stream_connection *connection,
                        const struct stream_settings *settings, struct stream_worker *worker,
                        const struct ingest_verdict *verdict);

/* The same for the answer to a control frame, which may be empty. */
void stream_answers_add_control(struct stream_connection *connection, struct stream_worker *worker,
                                const struct frame_streams_answer *answer);

/* Returns whether all of them are out, or of no use; else *wants is what they wait for. */
bool stream_answers_send(struct stream_connection *connection, enum stream_next *wants,
                         int64_t now_ns);

/* They do not reach the other side any more. */
void stream_answers_drop(struct stream_connection *connection);

#endif
