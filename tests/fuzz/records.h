/*
 * Properties of a decoded datagram, and of its record in each encoder.
 *
 * A refusal has no output and has its cause inside the datagram. A message that is encoded again is
 * the same. Each text format is read by a strict reader, a third-party one or one based on the
 * format's specification; the output for a record depends only on the record; and a file of ours,
 * whole or cut anywhere, is recognised at the next start.
 */
#ifndef SLUICE_TESTS_FUZZ_RECORDS_H
#define SLUICE_TESTS_FUZZ_RECORDS_H

#include "collector/contract/encoder.h"
#include "collector/contract/record.h"
#include "collector/contract/schema.h"

/* Most bytes that a datagram may be decoded to: the default of max_decoded=. */
#define MAX_DECODED ((size_t)512 * 1024)

/* One of the built-in schemas, whatever the number. It stays. */
struct schema *builtin_schema(uint64_t choice);

/* A message and the memory that it is in. */
struct decoding {
    struct schema *schema;
    struct arena arena;
    struct decoded decoded;
    enum decode_result result;
};

/* Returns whether the bytes are a message, which refers to them. Forgotten in either case. */
bool checked_decode(struct decoding *decoding, struct schema *schema, const void *data,
                    size_t size);
void checked_forget(struct decoding *decoding);

/* The message encoded again is decoded to the same, and encoded to the same from then on. */
void check_round_trip(const struct decoding *first, const struct json_style *style);

/* The record, which has a packet, in each encoder that its schema and the view allow. `other` is
 * any of the same schema. */
void check_encoders(const struct record *record, const struct record *other,
                    const struct encoder_options *options);

/* The datagrams that are messages of the schema, at most two, with all that is above. */
struct sent {
    const uint8_t *data;
    size_t size;
};
void check_datagrams(const struct sent *sent, size_t count, struct schema *schema,
                     const struct encoder_options *options);

#endif
