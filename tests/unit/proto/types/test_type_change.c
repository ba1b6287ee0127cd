/* Tests changing a type's bytes fields to messages. */
#include <string.h>

#include "proto/message/decode.h"
#include "proto/message/json.h"
#include "proto/types/type_change.h"
#include "tests/support/test.h"

#define LEGACY "sluice.legacy.Legacy"

extern const unsigned char shapes_set[];
extern const size_t shapes_set_size;

static struct type_set *set;

static int load(void **state)
{
    struct error error;
    (void)state;
    if (type_set_load("shapes", shapes_set, shapes_set_size, NULL, &set, &error) != 0)
        fail_msg("%s", error.text);
    return 0;
}

static int unload(void **state)
{
    (void)state;
    type_set_destroy(set);
    return 0;
}

static const struct message_type *find(const char *name)
{
    return type_set_find(set, name, strlen(name));
}

/* Returns the type Legacy in which the field "data" has been changed to messages of `type`. */
static const struct message_type *legacy_with(const char *type)
{
    const struct message_type *legacy = find(LEGACY);
    const struct type_change change = {
        .message = legacy, .field = message_type_find(legacy, 3), .type = find(type)};
    return type_set_change(set, legacy, &change, 1);
}

static enum decode_result decode(const struct message_type *type, const void *bytes, size_t size,
                                 char json[256])
{
    static uint8_t memory[4096];
    static const struct json_style style = {.proto_names = true};
    struct arena arena = {.base = memory, .capacity = sizeof memory};
    struct output out = {.data = json, .capacity = 255};
    struct decoded decoded;
    enum decode_result result = message_decode(type, bytes, size, 100, &arena, &decoded);
    if (result == DECODE_OK)
        message_write_json(type, decoded.message, &style, NULL, &out);
    json[out.used] = '\0';
    return result;
}

TEST_WITH(bytes_are_decoded_as_a_message, load, unload)
{
    (void)state;
    char json[256];
    const struct message_type *changed = legacy_with("sluice.legacy.Needs");
    assert_int_equal(decode(changed, "\x1a\2\x08\x7f", 4, json), DECODE_OK);
    assert_string_equal(json, "{\"data\":{\"must\":127}}");
    /* The decoder checks required fields, and merges two occurrences of the message. */
    assert_int_equal(decode(changed, "\x1a\0", 2, json), DECODE_MALFORMED);
    assert_int_equal(decode(changed, "\x1a\2\x10\1\x1a\2\x08\2", 8, json), DECODE_OK);
    assert_string_equal(json, "{\"data\":{\"must\":2,\"may\":1}}");
}

TEST_WITH(the_type_of_the_set_remains_as_it_is, load, unload)
{
    (void)state;
    char json[256];
    legacy_with("sluice.legacy.Needs");
    assert_int_equal(decode(find(LEGACY), "\x1a\2\x08\x7f", 4, json), DECODE_OK);
    assert_string_equal(json, "{\"data\":\"CH8=\"}");
}

TEST_WITH(a_type_that_cannot_reach_a_change_is_shared, load, unload)
{
    (void)state;
    const struct message_type *needs = find("sluice.legacy.Needs");
    const struct message_type *legacy = find(LEGACY);
    const struct type_change change = {
        .message = legacy, .field = message_type_find(legacy, 3), .type = needs};
    assert_ptr_equal(type_set_change(set, needs, &change, 1), needs);
    assert_ptr_not_equal(type_set_change(set, legacy, &change, 1), legacy);
}

TEST_WITH(a_type_may_contain_itself_in_its_bytes, load, unload)
{
    (void)state;
    char json[256];
    const struct message_type *changed = legacy_with(LEGACY);
    assert_int_equal(decode(changed, "\x1a\4\x1a\2\x1a\0", 6, json), DECODE_OK);
    assert_string_equal(json, "{\"data\":{\"data\":{\"data\":{}}}}");
}

TEST_WITH(all_fields_of_a_message_can_be_keys, load, unload)
{
    (void)state;
    const struct message_type *needs = find("sluice.legacy.Needs");
    const struct message_type *keys = type_set_mark_keys(set, needs);
    for (size_t i = 0; i < needs->field_count; i++) {
        assert_int_equal(keys->fields[i].roles & ROLE_KEY, ROLE_KEY);
        assert_int_equal(needs->fields[i].roles & ROLE_KEY, 0);
    }
}
