/* The meaning of HTTP statuses for the records of a request, in one table. Pure; any thread. */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_ANSWER_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/contract/delivery.h"

struct http_meaning {
    enum delivery_outcome outcome;
    enum delivery_reason reason; /* why records are refused, at once or after `tries` answers */
    bool parts;     /* refused because of the records: the server may accept some of them */
    bool some;      /* refused, but the server may have stored some of the records */
    unsigned tries; /* after this number of such answers, the next is a refusal; 0: never */
};

/*
 * Returns the meaning of an answer. `format` is the name of an encoder. `status` is that of the
 * answer; 0: there was no answer. `sent`: some of the body was sent, so the far end may have the
 * body even without an answer.
 */
struct http_meaning http_meaning_of(const char *format, long status, bool sent);

/* Returns whether the body of a refusal says that some of the records were accepted. */
bool http_answer_says_partly(const char *body, size_t size);

/*
 * Returns whether the body has a reason of Prometheus why a sample is never accepted, also with
 * status 500.
 */
bool http_answer_says_never(const char *body, size_t size);

#endif
