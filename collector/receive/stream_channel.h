/*
 * What the bytes of a connection go through: TCP as it is, or TLS over it.
 *
 * An interface. Each kind implements it, one file each; nothing outside such a file asks which kind
 * a channel is. Nothing of it waits: where it cannot go on it says what it waits for. One thread at
 * a time: whoever owns the connection (collector/receive/stream_server.h).
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_CHANNEL_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/platform/wakeup.h"

enum channel_result {
    CHANNEL_OK,        /* *done bytes, at least 1 */
    CHANNEL_WANTS_IN,  /* it cannot go on until something comes */
    CHANNEL_WANTS_OUT, /* it cannot go on until there is room to send */
    CHANNEL_END,       /* of a receive: the other side sends no more; of a send: it said so before,
                          and takes no more either */
    CHANNEL_BROKEN,    /* reset, or the like. What came before it was received before */
    CHANNEL_FAILED,    /* the other side does not keep to the channel's own protocol */
};

/* Bytes of what `failure` says, with the NUL at its end. */
#define CHANNEL_FAILURE_SIZE 160

struct channel_ops;

/* How a listener's connections have their bytes. */
struct channel_kind {
    const struct channel_ops *ops; /* NULL: it is none */
    void *context;                 /* the kind's own, of the listener */
    const void *made_of;           /* the settings that it was made of, by which it is known */
};

/* Bytes of a name's digest: names that are not the same have others. */
#define CHANNEL_NAME_SIZE 16

/* Of one connection. It stays where it began until its close. */
struct stream_channel {
    const struct channel_ops *ops;
    wait_handle socket; /* the caller's to close, after the channel's close */
    void *session;      /* the kind's own */
    bool opening;       /* nothing of the connection's own can come or go yet: a handshake */
    bool holds;         /* it has bytes, or an end, that no event of the socket reports any more */
    bool is_named;      /* the other side has shown who it is: `name` is that name's digest */
    uint8_t name[CHANNEL_NAME_SIZE];
};

struct channel_ops {
    /* Begins one: socket and ops are set, all else is zero. False: memory is short. */
    bool (*begin)(struct stream_channel *channel, void *context);

    /* Receives at most `size` (≥ 1) bytes. */
    enum channel_result (*receive)(struct stream_channel *channel, void *to, size_t size,
                                   size_t *done);

    /*
     * Sends a first part of `size` (≥ 1) bytes. Whoever was not served sends the same bytes again.
     */
    enum channel_result (*send)(struct stream_channel *channel, const void *bytes, size_t size,
                                size_t *done);

    /*
     * Nothing more is sent: the other side sees the end, after what was sent. What comes from then
     * on is of no use, and is received as it is, from whatever channel.
     */
    void (*finish)(struct stream_channel *channel);

    /* After CHANNEL_FAILED: why, for people, after "closed, as ". NULL: it never fails. */
    void (*failure)(const struct stream_channel *channel, char text[CHANNEL_FAILURE_SIZE]);

    /* Ends it, and frees what it has. The other side sees an orderly end, where that can be. */
    void (*close)(struct stream_channel *channel);

    /*
     * Of the listener's: it begins no more, and its context is freed. The channels that it began
     * stay. NULL: there is nothing to free.
     */
    void (*end)(void *context);
};

static inline void channel_kind_end(struct channel_kind *kind)
{
    if (kind->ops != NULL && kind->ops->end != NULL)
        kind->ops->end(kind->context);
    kind->ops = NULL;
}

/* TCP as it is. */
extern const struct channel_ops channel_plain;

#endif
