/*
 * The pending bytes of a connection, received but not yet handled: an incomplete frame, or frames
 * that wait until answers are sent. They are in the connection itself, or in a block if they do not
 * fit there.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_PENDING_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/receive/stream_connection_state.h"

/* Returns the buffer of the pending bytes. They are at offsets from `at` to `used`. */
static inline uint8_t *stream_pending_data(struct stream_connection *connection)
{
    return connection->block != NULL ? connection->block : connection->small;
}

static inline size_t stream_pending_size(const struct stream_connection *connection)
{
    return connection->used - connection->at;
}

/* Discards the pending bytes and releases the block. */
void stream_pending_clear(struct stream_connection *connection,
                          const struct stream_settings *settings);

/*
 * Stores the rest of a read as pending bytes. If they do not fit `small`, they go into *block. The
 * connection then owns this block, and *block becomes NULL.
 */
void stream_pending_keep(struct stream_connection *connection, uint8_t **block, const uint8_t *data,
                         size_t size);

/*
 * Makes room for the rest of the pending frame. *room becomes the number of bytes to receive, not
 * more than are missing. Returns false if a block is needed and none is free.
 */
bool stream_pending_make_room(struct stream_connection *connection,
                              const struct stream_settings *settings, size_t *room);

#endif
