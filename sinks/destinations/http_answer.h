/*
 * Decides from an HTTP status whether the server accepted the records of a request. Pure; any
 * thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_ANSWER_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/contract/delivery.h"

struct http_meaning {
    enum delivery_outcome outcome;
    enum delivery_reason reason; /* why the records are refused */
    bool parts;     /* refused because of the records' content: some of them may be acceptable */
    bool some;      /* refused, but the server may have stored some of the records */
    unsigned tries; /* after this number of answers of this kind, the next is a refusal; 0: never */
};

/*
 * Returns the meaning of an answer to a request in the format of the encoder named `format`.
 * `status` is 0 if there was no answer. `sent` is true if some of the body was sent; then the
 * server may have received the request even if there was no answer.
 */
struct http_meaning http_meaning_of(const char *format, long status, bool sent);

/* Returns true if the body of a refusal says that some of the records were accepted. */
bool http_answer_says_partly(const char *body, size_t size);

/*
 * Returns true if the body has an error of Prometheus for samples that it will never accept; it
 * sends some of these with status 500.
 */
bool http_answer_says_never(const char *body, size_t size);

#endif
