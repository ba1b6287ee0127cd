/*
 * The transport of a connection's bytes: plain TCP, or TLS over TCP.
 *
 * This is an interface. Each kind of channel implements it in its own file, and no other file
 * depends on the kind. No operation blocks: the result is the event to wait for. Only the owner of
 * the connection calls the operations (stream_slots.h).
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_CHANNEL_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/platform/wakeup.h"

enum channel_result {
    CHANNEL_OK,        /* *done bytes were received or sent; at least 1 */
    CHANNEL_WANTS_IN,  /* the call would block until the socket is readable */
    CHANNEL_WANTS_OUT, /* the call would block until the socket is writable */
    CHANNEL_END,       /* receive: the peer sends no more; send: the peer accepts no more */
    CHANNEL_BROKEN, /* a reset or another socket error; all earlier bytes were already received */
    CHANNEL_FAILED, /* the peer violated the protocol of the channel */
};

/* The size of the text that `failure` writes, including its NUL. */
#define CHANNEL_FAILURE_SIZE 160

struct channel_ops;
struct stream_share;

/* The kind of channel of a listener's connections. */
struct channel_kind {
    const struct channel_ops *ops; /* NULL if the kind is not set */
    void *context;                 /* data of the kind for this listener */
};

/* Bytes of the digest of a peer's proven name. */
#define CHANNEL_NAME_SIZE 16

/* The channel of one connection. Its address does not change from begin to close. */
struct stream_channel {
    const struct channel_ops *ops;
    wait_handle socket; /* the caller closes the socket after the channel */
    void *session;      /* data of the kind for this connection */
    bool opening;       /* the handshake is not complete: no data can be sent or received */
    bool holds;    /* the channel has buffered bytes, or an end, that no event of the socket will
                      report */
    bool is_named; /* `name` is the digest of the name that the peer has proved */
    uint8_t name[CHANNEL_NAME_SIZE];
};

struct channel_ops {
    /*
     * Begins a channel. The caller sets `socket` and `ops`; all other members are zero. `share`
     * belongs to the peer's host, and is used until the channel is open or closed. Returns false if
     * out of memory.
     */
    bool (*begin)(struct stream_channel *channel, void *context, struct stream_share *share);

    /* Receives at most `size` bytes; `size` is at least 1. */
    enum channel_result (*receive)(struct stream_channel *channel, void *to, size_t size,
                                   size_t *done);

    /*
     * Sends at most `size` bytes; `size` is at least 1. If the call would block, the caller must
     * pass the same bytes again.
     */
    enum channel_result (*send)(struct stream_channel *channel, const void *bytes, size_t size,
                                size_t *done);

    /*
     * Ends the sending direction: the peer sees an end after all bytes sent. The caller only
     * discards later input, so `receive` returns it as it arrives, which may be encrypted.
     */
    void (*finish)(struct stream_channel *channel);

    /*
     * Writes the reason for CHANNEL_FAILED, as text that follows "closed: ". NULL if this kind
     * never fails.
     */
    void (*failure)(const struct stream_channel *channel, char text[CHANNEL_FAILURE_SIZE]);

    /* Ends the channel and frees its data. If possible, the peer sees an orderly end. */
    void (*close)(struct stream_channel *channel);

    /*
     * Frees `context`. No further channels may be begun; existing channels stay usable. NULL if
     * there is nothing to free.
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
