/* Bytes as TCP has them. */
#include "collector/platform/tcp.h"
#include "collector/receive/stream_channel.h"

static bool begin(struct stream_channel *channel, void *context)
{
    (void)channel;
    (void)context;
    return true;
}

static enum channel_result judge(enum tcp_result result, enum channel_result would_block)
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

static enum channel_result receive(struct stream_channel *channel, void *to, size_t size,
                                   size_t *done)
{
    return judge(tcp_connection_receive(channel->socket, to, size, done), CHANNEL_WANTS_IN);
}

static enum channel_result transmit(struct stream_channel *channel, const void *bytes, size_t size,
                                    size_t *done)
{
    return judge(tcp_connection_send(channel->socket, bytes, size, done), CHANNEL_WANTS_OUT);
}

static void finish(struct stream_channel *channel)
{
    tcp_connection_finish(channel->socket);
}

static void close_channel(struct stream_channel *channel)
{
    (void)channel;
}

const struct channel_ops channel_plain = {
    .begin = begin,
    .receive = receive,
    .send = transmit,
    .finish = finish,
    .close = close_channel,
};
