/*
 * Encodes datagrams for a test as a sink does: a built-in schema decodes them, and an encoder
 * writes them. Fails the running cmocka test if a line is not valid.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_ENCODING_H
#define SLUICE_TESTS_SUPPORT_SINKS_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/encoder.h"
#include "collector/contract/listener.h"
#include "collector/contract/record.h"

/*
 * The receive time and source of a record, unless a test changes them, and their JSON in every
 * line.
 */
#define ENCODING_RECEIVED_NS INT64_C(1700000000123456789)
#define ENCODING_RECEIVED    "2023-11-14T22:13:20.123456789Z"
#define ENCODING_FACTS                                                                             \
    "\"received\":\"" ENCODING_RECEIVED "\",\"source\":\"192.0.2.1:5555\","                        \
    "\"listener\":\"udp://127.0.0.1:5555\""

struct encoding {
    const struct encoder_ops *ops;
    struct encoder *encoder;
    struct schema *schema;
    struct listener listener; /* its name is borrowed from the test */
    struct record record;
    uint8_t *memory;
    struct arena arena;
    char text[4 * 1024 * 1024]; /* the lines of the last record, followed by a NUL */
    size_t size;
    size_t lines;
    size_t samples;         /* samples in these lines */
    size_t arranged;        /* size that the encoder reports for an arranged file */
    size_t left_out;        /* samples that the encoder cannot express */
    size_t joined;          /* labels that were merged into another label */
    struct encoded written; /* counts of the last record */
};

/* Creates an encoding. Free it with encoding_free. */
struct encoding *encoding_create(const struct schema_ops *schema, const struct encoder_ops *encoder,
                                 const struct encoder_options *options);
void encoding_free(struct encoding *encoding);

/* Decodes the datagram, which must stay valid. Returns true if it was a message. */
bool encoding_decode(struct encoding *encoding, const void *datagram, size_t size);

/* Encodes the record and returns encoding->text. */
const char *encoding_write(struct encoding *encoding);

/*
 * The same as encoding_write, for JSON. Asserts that each line is valid, and that all lines were
 * counted.
 */
const char *encoding_write_json(struct encoding *encoding);

/*
 * Returns true if the encoded record does not fit in `capacity` bytes. Otherwise asserts that the
 * output equals encoding->text.
 */
bool encoding_overflows(struct encoding *encoding, size_t capacity);

/*
 * Encodes the record with every capacity, or only with some if it is long. Asserts that the output
 * is complete if the capacity is at least the record's size. Otherwise the encoder must report an
 * overflow.
 */
void encoding_assert_whole_or_overflow(struct encoding *encoding);

#endif
