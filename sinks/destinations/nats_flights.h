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

/* The maximum number of blocks in flight at a time. */
#define NATS_FLIGHTS 64

struct nats_flight {
    struct delivery_block *block; /* NULL: none */
    uint64_t order;               /* later flights have higher numbers; part of the token */
    size_t waiting;               /* records that have to be published */
    size_t unanswered;            /* published messages without an answer */
    bool published;               /* some message was published */
    int64_t begun_ns;             /* when the first message was published; monotonic, as are all
                                     times in this file */
    size_t at;                    /* no record before this index waits */
    int64_t until_ns;             /* at this time the block is done, with or without answers */
    bool done;                    /* all records have outcomes, and the block can be taken out */
    struct error error;           /* the error of the first message that was not acknowledged; or
                                     empty */
};

/*
 * The number of subjects whose limits are remembered, and the time after which a limit is
 * forgotten, because the server's may have been raised.
 */
#define NATS_LIMITS         ((size_t)16)
#define NATS_LIMIT_LASTS_NS (INT64_C(600) * 1000000000)

/* A limit that is known from a stream's refusals. */
struct nats_limit {
    char subject[DELIVERY_ROUTE_SIZE];
    size_t most;      /* bytes of the largest message */
    int64_t until_ns; /* when the limit is forgotten */
};

struct nats_flights {
    bool per_block; /* a block that fits is one message; else each record is a message */
    size_t most;    /* the server's limit for a message of several records, in bytes; 0: unknown */
    struct nats_limit limits[NATS_LIMITS]; /* a ring */
    size_t learned;                        /* number of limits that were ever added */
    int64_t now_ns;                        /* time of the last publication */
    int64_t unsent_ns;                     /* how long a block may wait to be published */
    int64_t unanswered_ns;                 /* how long a published block may wait for answers */
    uint64_t last_order;
    size_t unanswered;     /* published messages without an answer, in flights that are not done */
    int64_t last_begun_ns; /* begun_ns of the block taken out last; 0: that block was done
                              without all of its answers */
    struct nats_flight all[NATS_FLIGHTS];
};

/* Adds a block. Returns false if there is no room. */
bool nats_flights_put(struct nats_flights *flights, struct delivery_block *block, int64_t now_ns);

/* Returns the next message, which counts as published from now on, or false if no record waits. */
bool nats_flights_next(struct nats_flights *flights, struct nats_token *token, int64_t now_ns);

/*
 * Returns the block of a message, with the message's records in *range; NULL if the block is no
 * longer in flight.
 */
struct delivery_block *nats_flights_block(const struct nats_flights *flights,
                                          const struct nats_token *token,
                                          struct record_range *range);

enum nats_progress {
    NATS_GOES_ON,
    NATS_BLOCK_DONE,
    NATS_DIVIDED, /* too large: its halves are to be published instead */
};

/* Applies the outcome of a message; `why` is NULL if the message was acknowledged. */
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
 * To be called when the connection was lost. If an answer is missing, ends all blocks, so that they
 * are sent again in their order. Returns whether blocks were ended.
 */
bool nats_flights_lose(struct nats_flights *flights);

/* Returns when the time of the next block is over; INT64_MAX: no block is in flight. */
int64_t nats_flights_due(const struct nats_flights *flights);

/* Removes a block that is done, the oldest first. NULL: there is none. */
struct delivery_block *nats_flights_take(struct nats_flights *flights, struct error *error);

#endif
