/* Implements a channel (stream_channel.h) with plain TCP. */
#include "collector/platform/tcp.h"
#include "collector/receive/stream_channel.h"

static bool plain_begin(struct stream_channel *channel, void *context, struct stream_share *share)
{
    (void)channel;
    (void)context;
    (void)share;
    return true;
}

static enum channel_result plain_map_result(enum tcp_result result, enum channel_result would_block)
{
    switch (result) {
    case TCP_OK:
        return CHANNEL_OK;
    case TCP_WOULD_BLOCK:
        return would_block;
    case TCP_END:
        return CHANNEL_END;
    case TCP_BROKEN:
        break;
    }
    return CHANNEL_BROKEN;
}

static enum channel_result plain_receive(struct stream_channel *channel, void *to, size_t size,
                                         size_t *done)
{
    return plain_map_result(tcp_connection_receive(channel->socket, to, size, done),
                            CHANNEL_WANTS_IN);
}

static enum channel_result plain_send(struct stream_channel *channel, const void *bytes,
                                      size_t size, size_t *done)
{
    return plain_map_result(tcp_connection_send(channel->socket, bytes, size, done),
                            CHANNEL_WANTS_OUT);
}

static void plain_finish(struct stream_channel *channel)
{
    tcp_connection_finish(channel->socket);
}

static void plain_close(struct stream_channel *channel)
{
    (void)channel;
}

const struct channel_ops channel_plain = {
    .begin = plain_begin,
    .receive = plain_receive,
    .send = plain_send,
    .finish = plain_finish,
    .close = plain_close,
};
