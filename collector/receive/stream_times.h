/*
 * How long a connection may take: for a frame, for anything at all, and while others wait for its
 * block. Times are monotonic.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_TIMES_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/receive/stream_connection_state.h"

/* Something came, `frames` of it whole: since when the frame that is held is not, where one is. */
void stream_times_note(struct stream_connection *connection, size_t frames, int64_t now_ns);

/* When its time is over, where it waits for the other side. */
int64_t stream_times_due_ns(const struct stream_connection *connection,
                            const struct stream_settings *settings);

/* When others may want its block: one that is slow is not to cost them more than that. */
int64_t stream_times_pressure_ns(const struct stream_connection *connection);

/* Whether others wait for its block for too long. */
bool stream_times_hold_up_others(const struct stream_connection *connection,
                                 const struct stream_settings *settings, int64_t now_ns);

/* Ends it where its time is over. */
void stream_times_check(struct stream_connection *connection,
                        const struct stream_settings *settings, int64_t now_ns);

/* Of a connection that is to be armed: whether it has been for nothing too often. */
bool stream_times_is_spurious(struct stream_connection *connection, int64_t now_ns);

#endif
