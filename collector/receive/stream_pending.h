/*
 * What came over a connection and was not taken: the beginning of a frame that is not whole, or
 * what waits for answers to be sent. It is in the connection, or in a block where it is large.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_PENDING_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/receive/stream_connection_state.h"

/* Where it is; `at` and `used` of the connection say what of that. */
static inline uint8_t *stream_pending_data(struct stream_connection *connection)
{
    return connection->block != NULL ? connection->block : connection->small;
}

static inline size_t stream_pending_size(const struct stream_connection *connection)
{
    return connection->used - connection->at;
}

/* Nothing is held any more. */
void stream_pending_clear(struct stream_connection *connection,
                          const struct stream_settings *settings);

/* The rest of a read, which fits: it is small, or there is a block, which it takes then. */
void stream_pending_keep(struct stream_connection *connection, uint8_t **block, const uint8_t *data,
                         size_t size);

/*
 * Makes room behind what is held for the rest of its frame; *room bytes of it, at most what is
 * missing. Returns false where that takes a block, and none is free.
 */
bool stream_pending_make_room(struct stream_connection *connection,
                              const struct stream_settings *settings, size_t *room);

#endif
