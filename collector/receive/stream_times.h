/*
 * The time limits of a connection: for a frame, without any input, and while others wait for its
 * block. Times are monotonic.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_TIMES_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/receive/stream_connection_state.h"

/*
 * Notes that bytes have arrived and completed `frames` frames; dates the frame that is pending now,
 * if any.
 */
void stream_times_note(struct stream_connection *connection, size_t frames, int64_t now_ns);

/* The deadline for the peer. */
int64_t stream_times_due_ns(const struct stream_connection *connection,
                            const struct stream_settings *settings);

/* The deadline while others wait for its block: a slow connection costs them no more than that. */
int64_t stream_times_pressure_ns(const struct stream_connection *connection);

/* Whether others have waited too long for its block. */
bool stream_times_hold_up_others(const struct stream_connection *connection,
                                 const struct stream_settings *settings, int64_t now_ns);

/* Ends the connection if it is past its deadline. */
void stream_times_check(struct stream_connection *connection,
                        const struct stream_settings *settings, int64_t now_ns);

/* Before the connection is armed: whether it became ready without progress too often. */
bool stream_times_is_spurious(struct stream_connection *connection, int64_t now_ns);

#endif
