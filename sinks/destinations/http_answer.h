/*
 * What a status of HTTP means for the records that were sent, by their format: the one table. Pure
 * functions; any thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_ANSWER_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/contract/delivery.h"

struct http_meaning {
    enum delivery_outcome outcome;
    enum delivery_reason reason; /* of DELIVERY_REFUSED, or when there were `tries` of them */
    bool parts; /* of what is refused: it was the records, and some of them alone may be taken */
    bool some;  /* of what is refused: some of the records may have been taken by it */
    unsigned tries; /* a block that had more answers of this kind is refused; 0: any number */
};

/*
 * `format` is the name of an encoder. `status` is that of the answer; 0: there was none. `sent`:
 * some of the body had left by then, without an answer the far end may have it.
 */
struct http_meaning http_meaning_of(const char *format, long status, bool sent);

/* Whether the body of an answer that refuses says that some of the records were taken. */
bool http_answer_says_partly(const char *body, size_t size);

/* Whether it has one of Prometheus's reasons never to take a sample, also given with a 500. */
bool http_answer_says_never(const char *body, size_t size);

#endif
