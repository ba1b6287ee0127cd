/*
 * The requests that become of one block, and what their answers mean for its records.
 *
 * Usually it is one request. Records whose fate is known are not sent, so that what is left may be
 * several ranges. A range that was refused for what is in it is sent once more in halves; a half is
 * divided further while the other half is taken, or while the server says that it is too large: one
 * bad record costs few good ones, and where all are refused that costs two requests.
 *
 * A state machine without any connection. One thread at a time. When it is over each record has its
 * fate in the block, which is answered record by record.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_EXCHANGE_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/delivery.h"

/* Requests of one block, at most. */
#define HTTP_REQUESTS_MOST 64

/* Ranges that wait to be divided: two for each time that a block can be. */
#define HTTP_HALVES_MOST 26

/* What came of one request. */
struct http_reply {
    long status; /* 0: there was no answer */
    bool sent;   /* some of the body had left by then */
    bool proof;  /* it has the header that http_shapes.h is about */
    int64_t retry_after_ns;
    uint64_t connects; /* connections that were made for it */
    int64_t took_ns;   /* from its beginning to its end */
    const char *text;  /* what to report of it */
};

/* Some records of the block, one after the other. */
struct http_range {
    size_t first, count;
};

/* One of the two that a range was divided into, and what became of it. */
struct http_half {
    struct http_range range;
    uint8_t fate, reason;
    bool parts; /* it may be divided */
};

struct http_exchange {
    const char *format;
    struct delivery_block *block;
    struct http_range range; /* of the request in hand */
    size_t at;               /* the records before it have their fate, or are in halves */
    struct http_half halves[2];
    size_t half;                                /* the one in hand; 2: none is */
    size_t requests;                            /* so far */
    bool over;                                  /* no request follows */
    struct http_half waiting[HTTP_HALVES_MOST]; /* refused, and to be divided */
    size_t waiting_count;

    /* Of all its answers. */
    struct error error;
    int64_t retry_after_ns;
};

/* Begins with a block of the format, which is an encoder's name. */
void http_exchange_begin(struct http_exchange *exchange, struct delivery_block *block,
                         const char *format);

/* Whether there is a further request: of the records in exchange->range. */
bool http_exchange_next(struct http_exchange *exchange);

/* The request has its answer, or none. */
void http_exchange_answer(struct http_exchange *exchange, const struct http_reply *reply);

/* The request in hand cannot be made: what is too large is divided. */
void http_exchange_reject(struct http_exchange *exchange, enum delivery_reason reason,
                          const char *why);

/* No request follows: what has no fate was not sent. */
void http_exchange_cancel(struct http_exchange *exchange, const char *why);

#endif
