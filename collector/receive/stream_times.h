/*
 * The time limits of a connection: for a frame, for a time without input, and for a block that
 * other connections wait for. Times are monotonic.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_TIMES_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/receive/stream_connection_state.h"

/*
 * Sets the connection's times after bytes have arrived that completed `frames` frames. If a frame
 * is pending, its time begins.
 */
void stream_times_note(struct stream_connection *connection, size_t frames, int64_t now_ns);

/* Returns the time at which the connection ends if the peer makes no progress. */
int64_t stream_times_due_ns(const struct stream_connection *connection,
                            const struct stream_settings *settings);

/*
 * Returns the earliest time at which the connection may be ended because others wait for its block
 * (stream_times_hold_up_others), or INT64_MAX if it has no frame in a block.
 */
int64_t stream_times_pressure_ns(const struct stream_connection *connection);

/* Returns true if other connections have waited too long for the block of this connection. */
bool stream_times_hold_up_others(const struct stream_connection *connection,
                                 const struct stream_settings *settings, int64_t now_ns);

/* Ends the connection if one of its time limits has passed. */
void stream_times_check(struct stream_connection *connection,
                        const struct stream_settings *settings, int64_t now_ns);

/*
 * Returns true if the connection became ready too often without progress. Call this before the
 * connection is armed.
 */
bool stream_times_is_spurious(struct stream_connection *connection, int64_t now_ns);

#endif
