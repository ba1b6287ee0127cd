/*
 * The blocks in flight of a nats: sink, message by message: which message is published next, which
 * wait for answers, and which blocks are done. Independent of connections.
 *
 * The sink's thread adds and removes blocks, the publisher's thread publishes, and the library's
 * thread brings answers; each holds the publisher's lock. The outcome of a published message is
 * unknown until its answer. The answer's token names the message; an answer that comes too late or
 * twice is ignored.
 *
 * A message is a record, or, with `per_block`, the block. A block is divided in halves until each
 * fits the server's limit, and further if a stream refuses a message as too large, down to single
 * records. A block that is sent again is divided as finely as before, even if the limit has been
 * raised, so that its messages have the same ids.
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

/* The most blocks at a time. */
#define NATS_FLIGHTS 64

struct nats_flight {
    struct delivery_block *block; /* NULL: none */
    uint64_t order;               /* later flights have higher numbers; part of the token */
    size_t waiting;               /* records that have to be published */
    size_t unanswered;            /* published messages without an answer */
    bool published;               /* some message was published */
    int64_t begun_ns;             /* when the first one was; monotonic, as are all times here */
    size_t at;                    /* no record before this one waits */
    int64_t until_ns;             /* the block is done then, with or without answers */
    bool done;                    /* it has its outcomes, and can be taken out */
    struct error error;           /* of the first message that was not acknowledged; or empty */
};

/* The number of subjects whose limits are remembered, and for how long: a limit may be raised. */
#define NATS_LIMITS         ((size_t)16)
#define NATS_LIMIT_LASTS_NS (INT64_C(600) * 1000000000)

/* A limit that is known from a stream's refusals. */
struct nats_limit {
    char subject[DELIVERY_ROUTE_SIZE];
    size_t most;      /* the largest message, in bytes */
    int64_t until_ns; /* when it is forgotten */
};

struct nats_flights {
    bool per_block; /* a block is one message, if it fits; else each record is one */
    size_t most;    /* the server's limit for a message of several records, in bytes; 0: unknown */
    struct nats_limit limits[NATS_LIMITS]; /* a ring */
    size_t learned;                        /* limits that were ever added */
    int64_t now_ns;                        /* of the last publication */
    int64_t unsent_ns;                     /* how long a block may wait to be published */
    int64_t unanswered_ns;                 /* how long it may wait for an answer */
    uint64_t last_order;
    size_t unanswered;     /* published messages without an answer, of flights that are not done */
    int64_t last_begun_ns; /* begun_ns of the block taken out last; 0: not fully answered */
    struct nats_flight all[NATS_FLIGHTS];
};

/* Adds a block. Returns false if there is no room. */
bool nats_flights_put(struct nats_flights *flights, struct delivery_block *block, int64_t now_ns);

/* The next message, which counts as published from now on. Returns false if there is none. */
bool nats_flights_next(struct nats_flights *flights, struct nats_token *token, int64_t now_ns);

/* The block of a message, and its records in *range; NULL if the block is no longer in flight. */
struct delivery_block *nats_flights_block(const struct nats_flights *flights,
                                          const struct nats_token *token,
                                          struct record_range *range);

enum nats_progress {
    NATS_GOES_ON,
    NATS_BLOCK_DONE,
    NATS_DIVIDED, /* its halves have to be published */
};

/* The outcome of a message; `why` is NULL if it was acknowledged. */
enum nats_progress nats_flights_answer(struct nats_flights *flights, const struct nats_token *token,
                                       enum delivery_outcome outcome, enum delivery_reason reason,
                                       const char *why);

/*
 * The server does not permit publishing to that subject: refuses all messages that were published
 * to it. Returns whether a block is done now.
 */
bool nats_flights_deny(struct nats_flights *flights, const char *subject, const char *why);

/* Ends the blocks whose time is over at `now_ns` (INT64_MAX: all). */
void nats_flights_expire(struct nats_flights *flights, int64_t now_ns);

/*
 * The connection was lost. If an answer is missing, ends all blocks, so that they are sent again in
 * their order. Returns whether it did.
 */
bool nats_flights_lose(struct nats_flights *flights);

/* When the next block's time is over; INT64_MAX: there is none. */
int64_t nats_flights_due(const struct nats_flights *flights);

/* Removes a block that is done, the oldest first. NULL: there is none. */
struct delivery_block *nats_flights_take(struct nats_flights *flights, struct error *error);

#endif
