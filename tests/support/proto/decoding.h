/*
 * Decodes for a test, and checks conditions that hold for every decoding: a refusal returns no
 * message, leaves the arena as it was, and has a cause inside the datagram; an accepted message has
 * no cause; and no byte outside of the datagram and the arena is used (seen by the address
 * sanitizer). Fails the running cmocka test otherwise.
 */
#ifndef SLUICE_TESTS_SUPPORT_PROTO_DECODING_H
#define SLUICE_TESTS_SUPPORT_PROTO_DECODING_H

#include <stddef.h>
#include <stdint.h>

#include "collector/contract/schema.h"
#include "proto/message/type.h"
#include "tests/support/proto/wire.h"

#define DECODING_ROOM    ((size_t)1024 * 1024)
#define DECODING_SCRATCH ((size_t)2304 * 1024)

struct decoding {
    struct schema *schema; /* NULL if the test decodes a bare message type */
    struct type_set *set;
    const struct message_type *type;
    uint8_t *data; /* a copy of the last datagram */
    struct arena arena, scratch;
    const void *message; /* result of the last DECODE_OK */
    size_t unknown_fields;
    struct decode_failure failure; /* of the last refusal */
};

/* The datagram that a test builds. Each setup empties it. */
extern struct wire wire;

/*
 * Called by a cmocka setup: *state becomes a decoding of this schema, or of this type of
 * tests/proto.
 */
int decoding_set_up_schema(void **state, const struct schema_ops *ops);
int decoding_set_up_shape(void **state, const char *full_name);

/* As decoding_set_up_shape, for a type of a descriptor set that a test made. */
int decoding_set_up_set(void **state, const void *set, size_t size, const char *full_name);

/* Cmocka setups of the built-in schemas, and the teardown of all. */
int open_riemann(void **state);
int open_telemetry(void **state);
int close_decoding(void **state);

/* Empties the arena and sets its size. */
void decoding_set_room(struct decoding *decoding, size_t room);

/* Empties the arena, and decodes. */
enum decode_result decoding_run(struct decoding *decoding, const void *bytes, size_t size);
enum decode_result decoding_wire(struct decoding *decoding, const struct wire *datagram);

/* The message as JSON. The caller frees the string. */
char *decoding_json(const struct decoding *decoding, bool proto_names, bool int64_numbers);

/* Appends the message's bytes, encoded again, to `out`. */
void decoding_encode(const struct decoding *decoding, struct wire *out);

/* Asserts that the datagram is decoded, and is this JSON with the .proto file's names. */
#define assert_decodes_as(decoding, wire, json)                                                    \
    assert_decoded_as((decoding), (wire), (json), __LINE__)
void assert_decoded_as(struct decoding *decoding, const struct wire *datagram, const char *json,
                       int line);

#define assert_decodes_to(decoding, wire, expected)                                                \
    assert_decoded((decoding), (wire), (expected), __LINE__)
void assert_decoded(struct decoding *decoding, const struct wire *datagram,
                    enum decode_result expected, int line);

#endif
