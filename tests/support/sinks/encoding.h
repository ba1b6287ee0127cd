/*
 * Encodes datagrams for a test as a sink does: decoded by a built-in schema, then written by an
 * encoder. Fails the running cmocka test if a line is not valid.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_ENCODING_H
#define SLUICE_TESTS_SUPPORT_SINKS_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/encoder.h"
#include "collector/contract/listener.h"
#include "collector/contract/record.h"

/* The facts of a record, unless a test changes them, and their JSON in every line. */
#define ENCODING_RECEIVED_NS INT64_C(1700000000123456789)
#define ENCODING_RECEIVED    "2023-11-14T22:13:20.123456789Z"
#define ENCODING_FACTS                                                                             \
    "\"received\":\"" ENCODING_RECEIVED "\",\"source\":\"192.0.2.1:5555\","                        \
    "\"listener\":\"udp://127.0.0.1:5555\""

struct encoding {
    const struct encoder_ops *ops;
    struct encoder *encoder;
    struct schema *schema;
    struct listener listener; /* the test keeps its name */
    struct record record;
    uint8_t *memory;
    struct arena arena;
    char text[4 * 1024 * 1024]; /* the lines of the last record, with a NUL after them */
    size_t size;
    size_t lines;
    size_t samples;         /* samples in these lines */
    size_t arranged;        /* size that the encoder reports for an arranged file */
    size_t left_out;        /* samples that have no form */
    size_t joined;          /* labels that were joined to another */
    struct encoded written; /* all counts of the last record */
};

/* The result is freed by encoding_free. */
struct encoding *encoding_create(const struct schema_ops *schema, const struct encoder_ops *encoder,
                                 const struct encoder_options *options);
void encoding_free(struct encoding *encoding);

/* Decodes the datagram, which must stay valid. Returns whether it was a message. */
bool encoding_decode(struct encoding *encoding, const void *datagram, size_t size);

/* Encodes the record and returns encoding->text. */
const char *encoding_write(struct encoding *encoding);

/* As encoding_write, for JSON: each line must be valid, and all lines counted. */
const char *encoding_write_json(struct encoding *encoding);

/*
 * Whether the record does not fit `capacity` bytes. If it does, the output must be encoding->text.
 */
bool encoding_overflows(struct encoding *encoding, size_t capacity);

/*
 * Encodes the record with every capacity (with some, if it is long). It must be complete if the
 * capacity is at least its size, and overflow otherwise.
 */
void encoding_assert_whole_or_overflow(struct encoding *encoding);

#endif
