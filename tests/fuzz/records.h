/*
 * Checks a decoded datagram, and its record in each encoder.
 *
 * A refusal must have no message, and its cause must be inside the datagram. A message that is
 * encoded and decoded must be the same. A strict reader must accept the output of each text format;
 * these readers are from third parties, or follow the specification of the format. The output must
 * depend on the record only. The next start must recognise a file that the program wrote, whole or
 * cut anywhere.
 */
#ifndef SLUICE_TESTS_FUZZ_RECORDS_H
#define SLUICE_TESTS_FUZZ_RECORDS_H

#include "collector/contract/encoder.h"
#include "collector/contract/record.h"
#include "collector/contract/schema.h"

/* The most memory of a decoded datagram in bytes: the default of max_decoded=. */
#define MAX_DECODED ((size_t)512 * 1024)

/* Returns one of the built-in schemas, for any number. It is not freed. */
struct schema *builtin_schema(uint64_t choice);

/* A message and its memory. */
struct decoding {
    struct schema *schema;
    struct arena arena;
    struct decoded decoded;
    enum decode_result result;
};

/*
 * Decodes the bytes, which the message refers to. Returns true if they are a message. Call
 * checked_forget in either case.
 */
bool checked_decode(struct decoding *decoding, struct schema *schema, const void *data,
                    size_t size);
void checked_forget(struct decoding *decoding);

/*
 * Checks that the message, after it was encoded, decodes to the same message, and that encoding it
 * again gives the same bytes.
 */
void check_round_trip(const struct decoding *first, const struct json_style *style);

/*
 * Checks the record, which must have a packet, with each encoder that its schema and the view
 * allow. `other` is another record of the same schema.
 */
void check_encoders(const struct record *record, const struct record *other,
                    const struct encoder_options *options);

/* Applies all checks above to those datagrams that are messages of the schema, at most two. */
struct sent {
    const uint8_t *data;
    size_t size;
};
void check_datagrams(const struct sent *sent, size_t count, struct schema *schema,
                     const struct encoder_options *options);

#endif
