/*
 * The transport of a connection's bytes: plain TCP, or TLS over it.
 *
 * An interface. Each kind implements it in a file of its own, and no other file asks which kind a
 * channel is. No operation blocks: its result says which event to wait for. Only the owner of the
 * connection calls them (collector/receive/stream_slots.h).
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_CHANNEL_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/platform/wakeup.h"

enum channel_result {
    CHANNEL_OK,        /* *done bytes, at least 1 */
    CHANNEL_WANTS_IN,  /* it would block until the socket is readable */
    CHANNEL_WANTS_OUT, /* it would block until the socket is writable */
    CHANNEL_END, /* receive: the peer sends no more; send: the peer has ended the stream and accepts
                    no more */
    CHANNEL_BROKEN, /* reset, or another error of the socket; earlier bytes were received before */
    CHANNEL_FAILED, /* the peer violated the channel's own protocol */
};

/* The most bytes of a text of `failure`, with its NUL. */
#define CHANNEL_FAILURE_SIZE 160

struct channel_ops;

/* The kind of channel that a listener's connections have. */
struct channel_kind {
    const struct channel_ops *ops; /* NULL: no kind */
    void *context;                 /* the kind's data for the listener */
    const void *made_of;           /* the settings that it was made from, which identify it */
};

/* Bytes of the digest of a peer's name. */
#define CHANNEL_NAME_SIZE 16

/* The channel of one connection. It does not move in memory from begin to close. */
struct stream_channel {
    const struct channel_ops *ops;
    wait_handle socket; /* the caller closes it, after the channel's close */
    void *session;      /* the kind's data for the connection */
    bool opening;       /* during the handshake: no data can be sent or received yet */
    bool holds;    /* it buffers bytes, or an end, that no event of the socket reports any more */
    bool is_named; /* the peer has proved its name, and `name` is the digest */
    uint8_t name[CHANNEL_NAME_SIZE];
};

struct channel_ops {
    /*
     * Begins a channel: `socket` and `ops` are set, all else is zero. Returns false if out of
     * memory.
     */
    bool (*begin)(struct stream_channel *channel, void *context);

    /* Receives at most `size` (≥ 1) bytes. */
    enum channel_result (*receive)(struct stream_channel *channel, void *to, size_t size,
                                   size_t *done);

    /*
     * Sends at most `size` (≥ 1) bytes. If it would block, the caller must send the same bytes
     * again.
     */
    enum channel_result (*send)(struct stream_channel *channel, const void *bytes, size_t size,
                                size_t *done);

    /*
     * Ends the sending direction: the peer sees an end after all that was sent. Bytes that arrive
     * later are only to be discarded, and are returned as they are, perhaps encrypted.
     */
    void (*finish)(struct stream_channel *channel);

    /* After CHANNEL_FAILED: the reason, as text after "closed: ". NULL: this kind never fails. */
    void (*failure)(const struct stream_channel *channel, char text[CHANNEL_FAILURE_SIZE]);

    /* Ends the channel and frees its data. The peer sees an orderly end, if possible. */
    void (*close)(struct stream_channel *channel);

    /*
     * Frees `context`: no further channel is begun; those that were begun stay usable. NULL: there
     * is nothing to free.
     */
    void (*end)(void *context);
};

static inline void channel_kind_end(struct channel_kind *kind)
{
    if (kind->ops != NULL && kind->ops->end != NULL)
        kind->ops->end(kind->context);
    kind->ops = NULL;
}

/* Plain TCP. */
extern const struct channel_ops channel_plain;

#endif
