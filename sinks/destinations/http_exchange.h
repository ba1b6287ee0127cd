/*
 * The requests for one block, and the consequences of their answers for its records.
 *
 * Usually a block is one request. Records whose outcome is known are not sent, so the remaining
 * records may be several ranges. A range that was refused because of its content is divided in
 * halves, until a refused request has a single record. So only bad records are rejected, and every
 * good record is accepted. Each of B bad records among N costs about 2 * log2(N / B) + 3 requests;
 * a block costs at most 2 * N - 1 requests. After HTTP_REQUESTS_MOST requests the remaining records
 * are sent again later.
 *
 * Lessons (http_lessons.h) avoid that cost in later blocks: series and senders of which every
 * record was recently refused get requests of their own, after the other records. If a group was
 * refused often (HTTP_LESSONS_HOPELESS), its refused request is not divided. Instead two of its
 * records are sent in a request each: the newest and the oldest, if possible of series that were
 * not refused so far. If both are refused, the group is refused. Whole blocks are treated in this
 * way, too, if a server refuses everything.
 *
 * A state machine without a connection. One thread at a time. In the end each record of the block
 * has its outcome.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_EXCHANGE_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/delivery.h"
#include "sinks/destinations/http_lessons.h"

/* The maximum number of requests of one block; the remaining records are sent again later. */
#define HTTP_REQUESTS_MOST 2048

/* The most waiting ranges: one for each time that a block can be divided, and some more. */
#define HTTP_HALVES_MOST 40

/* The most groups of a block with requests of their own; further groups share the last one. */
#define HTTP_GROUPS_MOST 64

/* The result of a request. */
struct http_reply {
    long status; /* 0: there was no answer */
    bool sent;   /* some of the body was sent */
    bool proof;  /* the answer has the header of http_shapes.h */
    bool unseen; /* no answer: the server refused the request without processing it */
    bool partly; /* a refusal that says that some of the records were accepted */
    bool never;  /* a refusal that says that these records will never be accepted */
    int64_t retry_after_ns;
    uint64_t connects; /* connections that were opened for the request */
    int64_t took_ns;   /* duration of the request */
    const char *text;  /* for people */
};

/*
 * For records that have only the second shape (http_shapes.h): a success without the proof becomes
 * a refusal, because a server of the first shape sees no records in the request.
 */
static inline void http_reply_require_proof(struct http_reply *reply)
{
    if (reply->proof || reply->status < 200 || reply->status > 299)
        return;
    reply->status = 415; /* Unsupported Media Type (RFC 9110, 15.5.16) */
    reply->text = "the server does not know remote write 2.0, which native_histograms=all needs";
}

/*
 * Consecutive records of the block. Only the records in the group of the first one belong to the
 * range.
 */
struct http_range {
    size_t first, count;
};

/* A waiting range. */
struct http_part {
    struct http_range range;
    bool divided; /* the range was refused as a whole, and has to be divided */
};

/*
 * A group of records, which has requests of its own. Group 0 has all records without such a group.
 */
struct http_group {
    uint32_t fingerprint;
    bool hopeless; /* a refused request of the group is not divided */
};

struct http_exchange {
    const char *format;
    struct delivery_block *block;
    struct http_lessons *lessons; /* NULL: none */
    bool repeats;                 /* records may be sent twice */
    struct http_range range;      /* records of the current request */
    size_t at;                    /* all records of the current group before this index have an
                                     outcome, or are in a waiting range */
    size_t group, group_count;    /* index of the current group; number of groups */
    struct http_group groups[HTTP_GROUPS_MOST + 1];
    size_t requests; /* number of requests so far */
    bool taken;      /* some request was acknowledged */
    bool over;       /* there are no more requests */
    struct http_part waiting[HTTP_HALVES_MOST];
    size_t waiting_count;
    struct http_range probed; /* a refused range of a hopeless group, while two of its records are
                                 tried */
    size_t probe[2];          /* indexes of these two records; probe[0] is tried last */
    unsigned probes;          /* records still to try, including the current one; 0: no range is
                                 probed */

    /* Collected from all answers. */
    struct error error;
    int64_t retry_after_ns;
};

/* Initialises the exchange for a block. `format` is the name of an encoder. */
void http_exchange_begin(struct http_exchange *exchange, struct delivery_block *block,
                         const char *format);

/*
 * Sets the lessons of the sink, and whether records may be sent twice (delivery_repeats). Is called
 * before the first request, or not at all: then there are no lessons, and records must not be sent
 * twice.
 */
void http_exchange_know(struct http_exchange *exchange, struct http_lessons *lessons, bool repeats);

/* Returns whether there is another request; its records are in exchange->range. */
bool http_exchange_next(struct http_exchange *exchange);

/* Applies the reply to the current request, which has ended with or without an answer. */
void http_exchange_answer(struct http_exchange *exchange, const struct http_reply *reply);

/* Handles a current request that cannot be made. If its records are too large, they are divided. */
void http_exchange_reject(struct http_exchange *exchange, enum delivery_reason reason,
                          const char *why);

/* Ends the requests: records without an outcome are not sent. */
void http_exchange_cancel(struct http_exchange *exchange, const char *why);

/* To be called at the end: records that were accepted are no longer isolated in later blocks. */
void http_exchange_end(struct http_exchange *exchange);

#endif
