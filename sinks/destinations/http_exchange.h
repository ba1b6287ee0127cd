/*
 * Chooses the records of each request for one block, and sets the outcome of each record from the
 * answers. A state machine, independent of connections. One thread at a time.
 *
 * Usually a block is one request. A range of records that was refused because of its content is
 * divided in halves, until a refused request has a single record. So only bad records are rejected,
 * and every good record is accepted. Records whose outcome is known are not sent again. Each of B
 * bad records among N costs about 2 * log2(N / B) + 3 requests; a block costs at most 2 * N - 1
 * requests. After HTTP_REQUESTS_MOST requests the remaining records are sent again later.
 *
 * Lessons (http_lessons.h) avoid that cost in later blocks. If every recent record of a series or
 * of a sender was refused, its records form a group. Groups get separate requests, after the other
 * records. After HTTP_LESSONS_HOPELESS refusals a group is hopeless: its refused request is not
 * divided. Instead two of its records are probed, each in a request of its own: the newest and the
 * oldest, if possible of series that were not refused so far. If both are refused, the whole group
 * is refused. If a server refuses everything, whole blocks are probed in this way.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_EXCHANGE_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/delivery.h"
#include "sinks/destinations/http_lessons.h"

/* The maximum number of requests for one block. */
#define HTTP_REQUESTS_MOST 2048

/*
 * The maximum number of waiting ranges: one for each time that a block can be halved, and some
 * more.
 */
#define HTTP_HALVES_MOST 40

/* The maximum number of groups with separate requests; further groups share the last one. */
#define HTTP_GROUPS_MOST 64

/* The result of a request. */
struct http_reply {
    long status; /* 0: there was no answer */
    bool sent;   /* at least a part of the body was sent */
    bool proof;  /* the answer has the header that shows support of the second shape (http_shapes.h)
                  */
    bool unseen; /* no answer, and the server has not processed the request (HTTP/2) */
    bool partly; /* a refusal that says that some records were accepted */
    bool never;  /* a refusal that says that the records will never be accepted */
    int64_t retry_after_ns;
    uint64_t connects; /* connections that were opened for the request */
    int64_t took_ns;   /* duration of the request */
    const char *text;  /* for messages to people */
};

/*
 * To be called for a request whose records can only be sent in the second shape (http_shapes.h). A
 * server that supports only the first shape sees no records in the request, and answers with a
 * success. So a success without the header that shows support (reply->proof) becomes a refusal.
 */
static inline void http_reply_require_proof(struct http_reply *reply)
{
    if (reply->proof || reply->status < 200 || reply->status > 299)
        return;
    reply->status = 415; /* Unsupported Media Type (RFC 9110, 15.5.16) */
    reply->text = "the server does not know remote write 2.0, which native_histograms=all needs";
}

/*
 * Consecutive records of the block. Records that are not in the group of the first one are skipped.
 */
struct http_range {
    size_t first, count;
};

/* A range whose records must be sent in a later request. */
struct http_part {
    struct http_range range;
    bool divided; /* the range was refused as a whole and must be divided */
};

/* Records that get separate requests. Group 0 has all other records. */
struct http_group {
    uint32_t fingerprint;
    bool hopeless; /* a refused request of the group is not divided */
};

struct http_exchange {
    const char *format;
    struct delivery_block *block;
    struct http_lessons *lessons; /* NULL if there are no lessons */
    bool repeats;                 /* the same records may be sent twice */
    struct http_range range;      /* the records of the current request */
    size_t at; /* each record of the current group before this index has an outcome or is in
                  `waiting` */
    size_t group, group_count; /* index of the current group; number of groups */
    struct http_group groups[HTTP_GROUPS_MOST + 1];
    size_t requests; /* number of requests so far */
    bool taken;      /* some request was acknowledged */
    bool over;       /* there are no more requests */
    struct http_part waiting[HTTP_HALVES_MOST];
    size_t waiting_count;
    struct http_range probed; /* refused range of a hopeless group; two records of it are probed */
    size_t probe[2];          /* indexes of these records; probe[0] is sent last */
    unsigned probes; /* number of records to probe, with the current one; 0 if no range is probed */

    /* Collected from all replies of the block. */
    struct error error;
    int64_t retry_after_ns;
};

/* `format` is the name of an encoder. */
void http_exchange_begin(struct http_exchange *exchange, struct delivery_block *block,
                         const char *format);

/*
 * Sets the sink's lessons, and whether the same records may be sent twice (delivery_repeats). May
 * be called once, before the first request. By default there are no lessons and records are not
 * sent twice.
 */
void http_exchange_know(struct http_exchange *exchange, struct http_lessons *lessons, bool repeats);

/* Returns true if there is another request, whose records are in exchange->range. */
bool http_exchange_next(struct http_exchange *exchange);

/* Applies the reply to the records of the current request. */
void http_exchange_answer(struct http_exchange *exchange, const struct http_reply *reply);

/*
 * To be called instead of http_exchange_answer if the current request cannot be made. If its
 * records are too large, they are divided.
 */
void http_exchange_reject(struct http_exchange *exchange, enum delivery_reason reason,
                          const char *why);

/* Ends the requests. Records without an outcome become not sent. */
void http_exchange_cancel(struct http_exchange *exchange, const char *why);

/*
 * To be called at the end. If a record of a group was accepted, the group's series or sender gets
 * no separate requests for later blocks.
 */
void http_exchange_end(struct http_exchange *exchange);

#endif
