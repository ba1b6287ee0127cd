/*
 * A JetStream server's answer to a message, in JSON: the message's position in the stream, or why
 * it was not stored. Pure; any thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_JETSTREAM_ANSWER_H
#define SLUICE_SINKS_DESTINATIONS_JETSTREAM_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/contract/delivery.h"
#include "collector/text/text.h"

struct jetstream_answer {
    enum delivery_outcome outcome; /* DELIVERY_UNKNOWN: the text is not an answer of JetStream */
    enum delivery_reason reason;
    unsigned detail;    /* err_code of an error: JetStream's own number */
    char text[128];     /* the error, with a NUL; empty: none */
    struct text stream; /* if the answer lists streams: the first, with JSON's escapes
                           (json_text_copy); otherwise without data */
};

/*
 * Reads `size` bytes:
 *   {"stream":"S","seq":1}               acknowledged, also with "duplicate":true
 *   {"error":{"code":503,...}}           not stored; it may be sent again
 *   {"error":{"code":400,"err_code":...  refused for good
 *   {"streams":["S",...],...}            to $JS.API.STREAM.NAMES
 */
struct jetstream_answer jetstream_answer_read(const char *json, size_t size);

#endif
