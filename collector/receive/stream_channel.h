/*
 * The transport of a connection's bytes: plain TCP, or TLS over TCP.
 *
 * This is an interface. Each kind of channel implements it in a file of its own, and no other file
 * asks which kind a channel is. No operation blocks: its result says which event to wait for. Only
 * the owner of the connection calls the operations (collector/receive/stream_slots.h).
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
    CHANNEL_END, /* at receive: the peer sends no more; at send: the peer has ended the stream and
                    accepts no more */
    CHANNEL_BROKEN, /* a reset or another error of the socket; all bytes from before were already
                       received */
    CHANNEL_FAILED, /* the peer violated the channel's own protocol */
};

/* The maximum number of bytes of the text that `failure` writes, with its NUL. */
#define CHANNEL_FAILURE_SIZE 160

struct channel_ops;
struct stream_share;

/* The kind of channel that a listener's connections have. */
struct channel_kind {
    const struct channel_ops *ops; /* NULL: the kind is not set */
    void *context;                 /* the kind's data for this listener */
    const void *made_of;           /* the settings that the kind was made from, which identify it */
};

/* The size in bytes of the digest of a peer's proven name. */
#define CHANNEL_NAME_SIZE 16

/* The channel of one connection. It stays at the same address from begin to close. */
struct stream_channel {
    const struct channel_ops *ops;
    wait_handle socket; /* the caller closes the socket after the channel's close */
    void *session;      /* the kind's data for the connection */
    bool opening;       /* during the handshake: no data can be sent or received yet */
    bool holds;    /* the channel buffers bytes, or an end, which no event of the socket reports
                      again */
    bool is_named; /* the peer has proved its name; `name` is the digest of this name */
    uint8_t name[CHANNEL_NAME_SIZE];
};

struct channel_ops {
    /*
     * Begins a channel in which `socket` and `ops` are set and all other members are zero. `share`:
     * the share of the peer's host; it is used until the channel is open or closed. Returns false
     * if out of memory.
     */
    bool (*begin)(struct stream_channel *channel, void *context, struct stream_share *share);

    /* Receives at most `size` (≥ 1) bytes. */
    enum channel_result (*receive)(struct stream_channel *channel, void *to, size_t size,
                                   size_t *done);

    /*
     * Sends at most `size` (≥ 1) bytes. If the result is that the call would block, the caller must
     * pass the same bytes again.
     */
    enum channel_result (*send)(struct stream_channel *channel, const void *bytes, size_t size,
                                size_t *done);

    /*
     * Ends the sending direction: the peer sees an end after all bytes that were sent. Bytes that
     * arrive later are only to be discarded, so receive returns them as they are, perhaps
     * encrypted.
     */
    void (*finish)(struct stream_channel *channel);

    /*
     * Writes the reason, after CHANNEL_FAILED, as text that follows "closed: ". NULL: this kind
     * never fails.
     */
    void (*failure)(const struct stream_channel *channel, char text[CHANNEL_FAILURE_SIZE]);

    /* Ends the channel and frees its data. The peer sees an orderly end, if possible. */
    void (*close)(struct stream_channel *channel);

    /*
     * Frees `context`. No further channel is begun; channels that were begun stay usable. NULL:
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
