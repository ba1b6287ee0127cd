/*
 * The requests that become of one block, and what their answers mean for its records.
 *
 * Usually it is one request. Records whose fate is known are not sent, so that what is left may be
 * several ranges. A range that was refused for what is in it is divided in halves until a record is
 * refused that is the only one of its request: only such a record is rejected, and each good one is
 * taken, however many bad ones there are. Each of B bad records among N costs at most
 * 2 * log2(N / B) + 3 requests or so, and all together at most 2 * N - 1; what a block has not come
 * to after HTTP_REQUESTS_MOST is sent again later.
 *
 * With lessons (http_lessons.h) that cost is not repeated for each block: series and senders of
 * which every record was refused lately have requests of their own, after the others. Where that
 * was often so (HTTP_LESSONS_HOPELESS), a refused request of such a group is not divided, but two
 * of its records are sent once more by themselves: of series that were not refused so far, if there
 * are any, the newest and the oldest. If both are refused the group is refused. The same holds for
 * whole blocks of a server that refuses everything.
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
#include "sinks/destinations/http_lessons.h"

/* Requests of one block, at most, before what is left of it waits. */
#define HTTP_REQUESTS_MOST 2048

/* Ranges that wait: one for each time that a block can be divided, and some more. */
#define HTTP_HALVES_MOST 40

/* Groups of a block with requests of their own; further ones share the last. */
#define HTTP_GROUPS_MOST 64

/* What came of one request. */
struct http_reply {
    long status; /* 0: there was no answer */
    bool sent;   /* some of the body had left by then */
    bool proof;  /* it has the header that http_shapes.h is about */
    bool unseen; /* without an answer: the server refused the request before it looked at it */
    bool partly; /* it refuses, and says that some of the records were taken */
    bool never;  /* it says that these records will never be taken */
    int64_t retry_after_ns;
    uint64_t connects; /* connections that were made for it */
    int64_t took_ns;   /* from its beginning to its end */
    const char *text;  /* what to report of it */
};

/* Some records of the block, one after the other; those of another group than the first's are not
 * meant. */
struct http_range {
    size_t first, count;
};

/* A range that waits to be sent, or to be divided first. */
struct http_part {
    struct http_range range;
    bool divided; /* it was refused as a whole */
};

/* Records with requests of their own. 0 is that of all others. */
struct http_group {
    uint32_t fingerprint;
    bool hopeless; /* it is not divided when it is refused */
};

struct http_exchange {
    const char *format;
    struct delivery_block *block;
    struct http_lessons *lessons; /* NULL: none */
    bool repeats;                 /* records may come twice */
    struct http_range range;      /* of the request in hand */
    size_t at;                    /* records of the group before it have a fate, or wait */
    size_t group, group_count;    /* the one in hand */
    struct http_group groups[HTTP_GROUPS_MOST + 1];
    size_t requests; /* so far */
    bool taken;      /* one of them was acknowledged */
    bool over;       /* no request follows */
    struct http_part waiting[HTTP_HALVES_MOST];
    size_t waiting_count;
    struct http_range probed; /* refused, of a hopeless group, while single ones are tried */
    size_t probe[2];          /* these, the last one first */
    unsigned probes;          /* that follow, with the one in hand; 0: none */

    /* Of all its answers. */
    struct error error;
    int64_t retry_after_ns;
};

/* Begins with a block of the format, which is an encoder's name. */
void http_exchange_begin(struct http_exchange *exchange, struct delivery_block *block,
                         const char *format);

/*
 * Before the first request: what the sink has learnt, and whether records may come twice
 * (delivery_repeats). Without that there are no lessons, and they may not.
 */
void http_exchange_know(struct http_exchange *exchange, struct http_lessons *lessons, bool repeats);

/* Whether there is a further request: of the records in exchange->range. */
bool http_exchange_next(struct http_exchange *exchange);

/* The request has its answer, or none. */
void http_exchange_answer(struct http_exchange *exchange, const struct http_reply *reply);

/* The request in hand cannot be made: what is too large is divided. */
void http_exchange_reject(struct http_exchange *exchange, enum delivery_reason reason,
                          const char *why);

/* No request follows: what has no fate was not sent. */
void http_exchange_cancel(struct http_exchange *exchange, const char *why);

/* It is over: what was taken is no longer isolated. */
void http_exchange_end(struct http_exchange *exchange);

#endif
