#include "tests/support/proto/decoding.h"

#include <stdlib.h>
#include <string.h>

#include "proto/message/decode.h"
#include "proto/message/encode.h"
#include "proto/message/json.h"
#include "proto/schemas.h"
#include "proto/types/type_set.h"
#include "tests/support/proto/schema_made.h"
#include "tests/support/test.h"
#include "tests/support/text/json_tree.h"

/* The number of bytes of the arena that are in use before a decoding. */
#define USED_BEFORE 48

extern const unsigned char shapes_set[];
extern const size_t shapes_set_size;

struct wire wire;

static struct decoding open_state;

static void open_arenas(struct decoding *decoding)
{
    decoding->scratch =
        (struct arena){.base = malloc(DECODING_SCRATCH), .capacity = DECODING_SCRATCH};
    assert_non_null(decoding->scratch.base);
    decoding->arena.base = NULL;
    decoding->data = NULL;
    decoding_set_room(decoding, DECODING_ROOM);
}

int decoding_set_up_schema(void **state, const struct schema_ops *ops)
{
    open_state = (struct decoding){.schema = schema_made(ops)};
    assert_ptr_equal(open_state.schema->ops, ops);
    open_arenas(&open_state);
    wire_clear(&wire);
    *state = &open_state;
    return 0;
}

int decoding_set_up_set(void **state, const void *set, size_t size, const char *full_name)
{
    struct error error;
    open_state = (struct decoding){0};
    if (type_set_load("set", set, size, NULL, &open_state.set, &error) != 0)
        fail_msg("%s", error.text);
    open_state.type = type_set_require(open_state.set, full_name, &error);
    if (open_state.type == NULL)
        fail_msg("%s", error.text);
    open_arenas(&open_state);
    wire_clear(&wire);
    *state = &open_state;
    return 0;
}

int decoding_set_up_shape(void **state, const char *full_name)
{
    return decoding_set_up_set(state, shapes_set, shapes_set_size, full_name);
}

int open_riemann(void **state)
{
    return decoding_set_up_schema(state, &schema_riemann);
}

int open_telemetry(void **state)
{
    return decoding_set_up_schema(state, &schema_telemetry);
}

int close_decoding(void **state)
{
    struct decoding *decoding = *state;
    if (decoding->schema != NULL)
        decoding->schema->ops->destroy(decoding->schema);
    type_set_destroy(decoding->set);
    free(decoding->arena.base);
    free(decoding->scratch.base);
    free(decoding->data);
    return 0;
}

void decoding_set_room(struct decoding *decoding, size_t room)
{
    free(decoding->arena.base);
    decoding->arena =
        (struct arena){.base = malloc(USED_BEFORE + room), .capacity = USED_BEFORE + room};
    assert_non_null(decoding->arena.base);
}

static void assert_explained(const struct decode_failure *failure, enum decode_result result,
                             size_t size)
{
    assert_in_range(failure->cause, CAUSE_UNKNOWN + 1, CAUSE_END - 1);
    assert_int_equal(failure->cause == CAUSE_TOO_DEEP, result == DECODE_TOO_DEEP);
    assert_int_equal(failure->cause == CAUSE_NO_ROOM, result == DECODE_TOO_LARGE);
    assert_in_range(failure->offset, 0, size);
    assert_non_null(memchr(failure->field, '\0', sizeof failure->field));
}

static enum decode_result decode(struct decoding *decoding, size_t size)
{
    static const struct decode_failure untouched = {.cause = CAUSE_END, .offset = SIZE_MAX};
    /* The decoder must overwrite these values. */
    struct decoded decoded = {.message = decoding->data, .failure = untouched};
    enum decode_result result;
    if (decoding->schema != NULL)
        result = decoding->schema->ops->decode(decoding->schema, decoding->data, size,
                                               &decoding->arena, &decoded);
    else
        result = message_decode(decoding->type, decoding->data, size, SCHEMA_MAX_DEPTH,
                                &decoding->arena, &decoded);
    decoding->message = decoded.message;
    decoding->unknown_fields = decoded.unknown_fields;
    decoding->failure = decoded.failure;
    if (result == DECODE_OK)
        assert_memory_equal(&decoded.failure, &untouched, sizeof untouched);
    else
        assert_explained(&decoded.failure, result, size);
    return result;
}

enum decode_result decoding_run(struct decoding *decoding, const void *bytes, size_t size)
{
    free(decoding->data);
    decoding->data = malloc(size == 0 ? 1 : size);
    assert_non_null(decoding->data);
    if (size != 0)
        memcpy(decoding->data, bytes, size);
    decoding->arena.used = USED_BEFORE;
    memset(decoding->arena.base, 0x5a, USED_BEFORE);

    /* The decoder must overwrite this pointer, which is any pointer but NULL. */
    decoding->message = decoding->data;
    enum decode_result result = decode(decoding, size);
    assert_in_range(result, DECODE_OK, DECODE_MALFORMED);
    if (result == DECODE_OK) {
        assert_non_null(decoding->message);
    } else {
        assert_null(decoding->message);
        assert_int_equal(decoding->arena.used, USED_BEFORE);
    }
    for (size_t i = 0; i < USED_BEFORE; i++)
        assert_int_equal(decoding->arena.base[i], 0x5a);
    return result;
}

enum decode_result decoding_wire(struct decoding *decoding, const struct wire *datagram)
{
    return decoding_run(decoding, datagram->bytes, datagram->size);
}

char *decoding_json(const struct decoding *decoding, bool proto_names, bool int64_numbers)
{
    static char room[8 * 1024 * 1024];
    struct arena scratch = decoding->scratch;
    struct json_style style = {.proto_names = proto_names, .int64_numbers = int64_numbers};
    struct output out = {.data = room, .capacity = sizeof room};
    if (decoding->schema != NULL)
        decoding->schema->ops->write_json(decoding->schema, decoding->message, &style, &scratch,
                                          &out);
    else
        message_write_json(decoding->type, decoding->message, &style, &scratch, &out);
    assert_false(out.overflow);
    char *json = malloc(out.used + 1);
    assert_non_null(json);
    memcpy(json, room, out.used);
    json[out.used] = '\0';
    assert_int_equal(strlen(json), out.used);
    return json;
}

void assert_decoded(struct decoding *decoding, const struct wire *datagram,
                    enum decode_result expected, int line)
{
    static const char *const names[] = {"OK", "TOO_DEEP", "TOO_LARGE", "MALFORMED"};
    enum decode_result result = decoding_wire(decoding, datagram);
    if (result != expected)
        fail_msg("line %d: %s, not %s", line, names[result], names[expected]);
}

void decoding_encode(const struct decoding *decoding, struct wire *out)
{
    struct output room = {.data = (char *)out->bytes, .used = out->size, .capacity = WIRE_ROOM};
    if (decoding->schema != NULL)
        decoding->schema->ops->write_protobuf(decoding->schema, decoding->message, &room);
    else
        message_encode(decoding->type, decoding->message, &room);
    assert_false(room.overflow);
    out->size = room.used;
}

void assert_decoded_as(struct decoding *decoding, const struct wire *datagram, const char *json,
                       int line)
{
    assert_decoded(decoding, datagram, DECODE_OK, line);
    char *found = decoding_json(decoding, true, false);
    struct json_tree *tree = json_tree_read(found, strlen(found));
    if (tree == NULL || strcmp(found, json) != 0)
        fail_msg("line %d: %s\nnot %s", line, found, json);
    json_tree_free(tree);
    free(found);
}
