/*
 * Decodes datagrams for a test, and fails the running cmocka test if a decoding breaks one of these
 * rules. A refusal returns no message, leaves the arena unchanged, and names a cause and an offset
 * inside the datagram. An accepted message has no cause. The address sanitizer detects an access to
 * bytes outside the datagram and the arena.
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
    uint8_t *data; /* a copy of the datagram */
    struct arena arena, scratch;
    const void *message; /* valid after DECODE_OK */
    size_t unknown_fields;
    struct decode_failure failure; /* valid after a refusal */
};

/* The datagram that the test builds. Each setup empties it. */
extern struct wire wire;

/*
 * For cmocka setups. *state becomes a struct decoding of this schema, or of this message type in
 * tests/proto.
 */
int decoding_set_up_schema(void **state, const struct schema_ops *ops);
int decoding_set_up_shape(void **state, const char *full_name);

/* The same as decoding_set_up_shape, for a type of the given descriptor set. */
int decoding_set_up_set(void **state, const void *set, size_t size, const char *full_name);

/* Cmocka setups for built-in schemas, and the teardown of all setups. */
int open_riemann(void **state);
int open_telemetry(void **state);
int close_decoding(void **state);

/* Empties the arena and sets its capacity in bytes. */
void decoding_set_room(struct decoding *decoding, size_t room);

/* Empties the arena and decodes these bytes. */
enum decode_result decoding_run(struct decoding *decoding, const void *bytes, size_t size);
enum decode_result decoding_wire(struct decoding *decoding, const struct wire *datagram);

/* Returns the message as JSON. The caller frees it. */
char *decoding_json(const struct decoding *decoding, bool proto_names, bool int64_numbers);

/* Encodes the message again and appends its bytes to `out`. */
void decoding_encode(const struct decoding *decoding, struct wire *out);

/*
 * Asserts that the datagram is accepted, and that it is this JSON when fields have their names of
 * the .proto file.
 */
#define assert_decodes_as(decoding, wire, json)                                                    \
    assert_decoded_as((decoding), (wire), (json), __LINE__)
void assert_decoded_as(struct decoding *decoding, const struct wire *datagram, const char *json,
                       int line);

#define assert_decodes_to(decoding, wire, expected)                                                \
    assert_decoded((decoding), (wire), (expected), __LINE__)
void assert_decoded(struct decoding *decoding, const struct wire *datagram,
                    enum decode_result expected, int line);

#endif
