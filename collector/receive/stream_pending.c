#include "collector/receive/stream_pending.h"

#include <string.h>

#include "collector/base/rule.h"
#include "collector/framing/stream_frame.h"

void stream_pending_clear(struct stream_connection *connection,
                          const struct stream_settings *settings)
{
    stream_blocks_release(settings->blocks, connection->share, connection->block);
    stream_blocks_stop_waiting(settings->blocks, connection->share, &connection->waits_for_block);
    connection->block = NULL;
    connection->at = connection->used = 0;
}

void stream_pending_keep(struct stream_connection *connection, uint8_t **block, const uint8_t *data,
                         size_t size)
{
    RULE(stream_pending_size(connection) == 0,
         "a read is kept after all earlier bytes were handled");
    RULE(size <= STREAM_SMALL_SIZE || *block != NULL, "a block is at hand for a long remainder");
    if (size > STREAM_SMALL_SIZE) {
        connection->block = *block;
        *block = NULL;
    }
    memcpy(stream_pending_data(connection), data, size);
    connection->at = 0;
    connection->used = size;
}

bool stream_pending_make_room(struct stream_connection *connection,
                              const struct stream_settings *settings, size_t *room)
{
    size_t whole;
    size_t size = stream_pending_size(connection);
    uint8_t *from = stream_pending_data(connection) + connection->at;
    bool known = stream_frame_look(settings->framing, from, size, connection->max_frame, &whole) ==
                 STREAM_FRAME_KNOWN;
    if (!known)
        whole = size + 1; /* the length is incomplete: receive the rest of it byte by byte */
    if (connection->block == NULL && whole > STREAM_SMALL_SIZE) {
        uint8_t *block = stream_blocks_acquire(settings->blocks, connection->share,
                                               &connection->waits_for_block);
        if (block == NULL)
            return false;
        memcpy(block, from, size);
        connection->block = block;
        connection->used = size;
        connection->at = 0;
    } else if (connection->at != 0) {
        memmove(stream_pending_data(connection), from, size);
        connection->used = size;
        connection->at = 0;
    }
    *room = whole - size;
    RULE(connection->block != NULL || connection->used + *room <= STREAM_SMALL_SIZE,
         "the remainder of a frame fits its buffer");
    return true;
}
