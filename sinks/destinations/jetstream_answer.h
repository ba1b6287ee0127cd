/*
 * Reads a JetStream server's JSON answer to a message. The answer says that the message is stored,
 * or why it is not. Pure; any thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_JETSTREAM_ANSWER_H
#define SLUICE_SINKS_DESTINATIONS_JETSTREAM_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/contract/delivery.h"
#include "collector/text/text.h"

struct jetstream_answer {
    enum delivery_outcome outcome; /* DELIVERY_UNKNOWN: not an answer of JetStream */
    enum delivery_reason reason;
    unsigned detail;    /* err_code, JetStream's own number of the error */
    char text[128];     /* the error's description with a NUL; may be empty */
    struct text stream; /* the first of the streams that the answer lists, with JSON's escapes
                           (json_text_copy); without data if it lists none */
};

/*
 * Reads an answer of `size` bytes:
 *   {"stream":"S","seq":1}               acknowledged, also with "duplicate":true
 *   {"error":{"code":503,...}}           not stored; it may be sent again
 *   {"error":{"code":400,"err_code":...  refused permanently
 *   {"streams":["S",...],...}            the answer to $JS.API.STREAM.NAMES
 */
struct jetstream_answer jetstream_answer_read(const char *json, size_t size);

#endif
