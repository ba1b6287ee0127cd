/*
 * Blocks that are with a connection of NATS, message by message: what is to be published next, what
 * waits for an answer, and what is done. Knows nothing of connections.
 *
 * The sink's thread puts blocks in and takes them out, the connection's thread publishes, and the
 * library's thread brings answers: each holds the lock of whoever owns this. A message that was
 * published is unknown until its answer. A token says which message an answer is for; one that
 * comes too late, or twice, changes nothing.
 *
 * A message is a record, or, with `per_block`, the block: it is divided in halves until each fits
 * what the server says beforehand, and where a stream refuses it as too large all the same, until
 * one that is refused is a single record. A block that is put in again is divided as finely as
 * before, also where more is taken by then: so its messages have the same ids.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_NATS_FLIGHTS_H
#define SLUICE_SINKS_DESTINATIONS_NATS_FLIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/delivery.h"
#include "sinks/destinations/nats_token.h"
#include "sinks/destinations/record_range.h"

/* Blocks at a time. */
#define NATS_FLIGHTS 64

struct nats_flight {
    struct delivery_block *block; /* NULL: none */
    uint64_t order;               /* of its token: later ones have higher ones */
    size_t waiting;               /* records that are to be published */
    size_t unanswered;            /* messages that were */
    bool published;               /* some message was */
    int64_t begun_ns;             /* when the first was */
    size_t at;                    /* no record before it waits */
    int64_t until_ns;             /* when it is done, whatever is missing; monotonic */
    bool done;                    /* it has its fates, and is to be taken out */
    struct error error;           /* of its first message that was not acknowledged; empty: none */
};

/* Subjects whose streams' limits are known at a time, and how long: they may be raised. */
#define NATS_LIMITS         ((size_t)16)
#define NATS_LIMIT_LASTS_NS (INT64_C(600) * 1000000000)

/* What a stream was seen to refuse. */
struct nats_limit {
    char subject[DELIVERY_ROUTE_SIZE];
    size_t most;      /* bytes of a message, at most */
    int64_t until_ns; /* it is forgotten then; monotonic */
};

struct nats_flights {
    bool per_block; /* a block is one message, if that fits; else each of its records is one */
    size_t most;    /* bytes of a message with several records, for the server; 0: not known */
    struct nats_limit limits[NATS_LIMITS]; /* a ring */
    size_t learned;                        /* how many were put there */
    int64_t now_ns;                        /* of the last publication */
    int64_t unsent_ns, unanswered_ns; /* how long a block may wait for the one and for the other */
    uint64_t last_order;
    size_t unanswered; /* messages that were published, of flights that are not done */
    int64_t
        last_begun_ns; /* of the block that was taken out last, where all of it was answered; 0 */
    struct nats_flight all[NATS_FLIGHTS];
};

/* Puts a block in. Returns false where there is no room. */
bool nats_flights_put(struct nats_flights *flights, struct delivery_block *block, int64_t now_ns);

/* The next message to publish; it counts as published from now on. Returns false without one. */
bool nats_flights_next(struct nats_flights *flights, struct nats_token *token, int64_t now_ns);

/* The block that a message is in and its records, or NULL where it is no longer there. */
struct delivery_block *nats_flights_block(const struct nats_flights *flights,
                                          const struct nats_token *token,
                                          struct record_range *range);

enum nats_progress {
    NATS_GOES_ON,
    NATS_BLOCK_DONE,
    NATS_DIVIDED, /* its halves are to be published */
};

/* What became of a message; `why` is NULL where it is acknowledged. Returns what that leads to. */
enum nats_progress nats_flights_answer(struct nats_flights *flights, const struct nats_token *token,
                                       enum delivery_outcome fate, enum delivery_reason reason,
                                       const char *why);

/*
 * The server does not let us publish to that subject: messages that were published to it are
 * refused. Returns whether a block is done by it.
 */
bool nats_flights_deny(struct nats_flights *flights, const char *subject, const char *why);

/* Blocks whose time is over at `now_ns` (INT64_MAX: all) are done. */
void nats_flights_expire(struct nats_flights *flights, int64_t now_ns);

/*
 * The connection was lost, and with it the answers to what was published. If any is missing all
 * blocks are done, so that they are sent again in their order. Returns whether they are.
 */
bool nats_flights_lose(struct nats_flights *flights);

/* When the next one's time is over; INT64_MAX: there is none. */
int64_t nats_flights_due(const struct nats_flights *flights);

/* Takes a block out that is done, the oldest first. NULL: there is none. */
struct delivery_block *nats_flights_take(struct nats_flights *flights, struct error *error);

#endif
