#include "collector/receive/stream_held.h"

#include <string.h>

#include "collector/framing/stream_frame.h"

void stream_held_forget(struct stream_connection *connection,
                        const struct stream_settings *settings)
{
    stream_blocks_give(settings->blocks, connection->share, connection->block);
    stream_blocks_stop_waiting(settings->blocks, connection->share, &connection->waits_for_block);
    connection->block = NULL;
    connection->at = connection->used = 0;
}

void stream_held_keep(struct stream_connection *connection, uint8_t **block, const uint8_t *data,
                      size_t size)
{
    if (size > STREAM_SMALL_SIZE) {
        connection->block = *block;
        *block = NULL;
    }
    memcpy(stream_held(connection), data, size);
    connection->at = 0;
    connection->used = size;
}

bool stream_held_make_room(struct stream_connection *connection,
                           const struct stream_settings *settings, size_t *room)
{
    size_t whole;
    size_t size = stream_held_size(connection);
    uint8_t *from = stream_held(connection) + connection->at;
    bool known = stream_frame_look(settings->framing, from, size, connection->max_frame, &whole) ==
                 STREAM_FRAME_KNOWN;
    if (!known)
        whole = size + 1; /* of a length, which is short: byte by byte it is found once */
    if (connection->block == NULL && whole > STREAM_SMALL_SIZE) {
        uint8_t *block =
            stream_blocks_take(settings->blocks, connection->share, &connection->waits_for_block);
        if (block == NULL)
            return false;
        memcpy(block, from, size);
        connection->block = block;
        connection->used = size;
        connection->at = 0;
    } else if (connection->at != 0) {
        memmove(stream_held(connection), from, size);
        connection->used = size;
        connection->at = 0;
    }
    *room = whole - size;
    return true;
}
