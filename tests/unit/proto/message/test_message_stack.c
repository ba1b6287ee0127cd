/*
 * Tests that the deepest messages, which have a hundred levels, are decoded, encoded and written as
 * JSON on a thread with a small stack. No datagram needs more stack.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/wire.h"
#include "proto/message/decode.h"
#include "proto/message/encode.h"
#include "proto/message/json.h"
#include "proto/message_schema.h"
#include "proto/schemas.h"
#include "tests/support/proto/decoding.h"
#include "tests/support/test.h"

#define STACK_SIZE ((size_t)256 * 1024)
#define LEVELS     SCHEMA_MAX_DEPTH
#define LARGEST    ((size_t)65507) /* bytes of a datagram */
#define PAINT      0xa5

#define LEVEL_MOST 1024 /* most bytes of stack for each level, also with the address sanitizer */

enum { GROUP_START = 3, GROUP_END = 4 };

struct job {
    struct decoding *decoding;
    enum decode_result result;
    size_t fallbacks;
    size_t json_size, encoded_size;
};

static void *do_job(void *argument)
{
    static uint8_t text[1 << 20];
    static const struct json_style style = {.show_unknown = true};
    struct job *job = argument;
    struct decoding *decoding = job->decoding;
    struct decoded decoded;
    decoding->arena.used = 0;
    job->result = message_decode(decoding->type, wire.bytes, wire.size, SCHEMA_MAX_DEPTH,
                                 &decoding->arena, &decoded);
    if (job->result != DECODE_OK)
        return NULL;
    struct output out = {.data = (char *)text, .capacity = sizeof text};
    job->fallbacks =
        message_write_json(decoding->type, decoded.message, &style, &decoding->scratch, &out);
    job->json_size = out.used;
    message_encode(decoding->type, decoded.message, &out);
    job->encoded_size = out.used - job->json_size;
    return NULL;
}

static size_t run_on_small_stack(struct job *job)
{
    pthread_attr_t attributes;
    pthread_t thread;
    uint8_t *stack = aligned_alloc(4096, STACK_SIZE);
    assert_non_null(stack);
    memset(stack, PAINT, STACK_SIZE);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK_SIZE), 0);
    assert_int_equal(pthread_create(&thread, &attributes, do_job, job), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    size_t untouched = 0;
    while (untouched < STACK_SIZE && stack[untouched] == PAINT)
        untouched++;
    free(stack);
    return STACK_SIZE - untouched;
}

static size_t run_on_nothing(struct decoding *decoding)
{
    struct job job = {.decoding = decoding};
    static struct wire kept;
    kept = wire;
    wire_clear(&wire);
    size_t used = run_on_small_stack(&job);
    assert_int_equal(job.result, DECODE_OK);
    wire = kept;
    return used;
}

static void assert_bounded(struct decoding *decoding, size_t fallbacks)
{
    struct job job = {.decoding = decoding};
    size_t nothing = run_on_nothing(decoding);
    size_t used = run_on_small_stack(&job);
    assert_int_equal(job.result, DECODE_OK);
    assert_int_equal(job.fallbacks, fallbacks);
    assert_in_range(job.json_size, LEVELS, SIZE_MAX);
    assert_in_range(job.encoded_size, LEVELS, SIZE_MAX);
    if (used > nothing)
        assert_in_range((used - nothing) / LEVELS, 0, LEVEL_MOST);
}

/* --- nested messages -------------------------------------------------------------------------- */

static int open_legacy(void **state)
{
    return decoding_set_up_shape(state, "sluice.legacy.Legacy");
}

static int open_known(void **state)
{
    return decoding_set_up_shape(state, "sluice.modern.Known");
}

static void wrap_in_group(uint32_t number)
{
    static struct wire content;
    content = wire;
    wire_clear(&wire);
    wire_tag(&wire, number, GROUP_START);
    wire_raw(&wire, content.bytes, content.size);
    wire_tag(&wire, number, GROUP_END);
}

TEST_WITH(a_hundred_levels_take_less_than_a_kilobyte_each, open_legacy, close_decoding)
{
    /* The fields are a message, a list of messages, and an extension. */
    static const uint32_t ways[] = {18, 25, 104};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        wire_clear(&wire);
        wire_wrap(&wire, ways[i], LEVELS);
        assert_bounded(*state, 0);
    }
}

TEST_WITH(a_hundred_levels_through_maps_take_no_more, open_legacy, close_decoding)
{
    for (int level = 0; level < LEVELS; level += 2) {
        wire_wrap(&wire, 2, 1);
        wire_wrap(&wire, 15, 1);
    }
    assert_bounded(*state, 0);
}

/* Messages of this type are plain, so the fast decoder reads them. */
static int open_modern(void **state)
{
    return decoding_set_up_shape(state, "sluice.modern.Modern");
}

TEST_WITH(a_hundred_levels_of_plain_messages_take_no_more, open_modern, close_decoding)
{
    wire_wrap(&wire, 10, LEVELS);
    assert_bounded(*state, 0);
    wire_clear(&wire);
    for (int level = 0; level < LEVELS; level += 2) {
        wire_wrap(&wire, 2, 1);
        wire_wrap(&wire, 9, 1);
    }
    assert_bounded(*state, 0);
}

TEST_WITH(a_hundred_levels_through_groups_take_no_more, open_legacy, close_decoding)
{
    for (int level = 0; level < LEVELS; level += 2) {
        wire_wrap(&wire, 2, 1);
        wrap_in_group(4);
    }
    assert_bounded(*state, 0);
    wire_clear(&wire);
    for (int level = 0; level < LEVELS; level++)
        wrap_in_group(99); /* an unknown field */
    assert_bounded(*state, 0);
}

static int open_sets(void **state)
{
    return decoding_set_up_shape(state, "sluice.sets.Set");
}

/*
 * Wraps the bytes written so far as the message of an item. The message is a level of its own if
 * the item's type id comes first.
 */
static void wrap_in_item(bool message_first)
{
    static struct wire content;
    content = wire;
    wire_clear(&wire);
    wire_tag(&wire, WIRE_ITEM, GROUP_START);
    if (!message_first)
        wire_uint(&wire, WIRE_ITEM_ID, 4);
    wire_bytes(&wire, WIRE_ITEM_MESSAGE, content.bytes, content.size);
    if (message_first)
        wire_uint(&wire, WIRE_ITEM_ID, 4);
    wire_tag(&wire, WIRE_ITEM, GROUP_END);
}

TEST_WITH(a_hundred_levels_through_message_sets_take_no_more, open_sets, close_decoding)
{
    for (int level = 0; level < LEVELS; level += 2)
        wrap_in_item(false);
    assert_bounded(*state, 0);
    wire_clear(&wire);
    for (int level = 0; level < LEVELS; level++)
        wrap_in_item(true);
    assert_bounded(*state, 0);
}

TEST_WITH(a_hundred_levels_given_twice_are_merged_in_no_more, open_legacy, close_decoding)
{
    static struct wire once;
    wire_wrap(&wire, 18, LEVELS);
    once = wire;
    wire_raw(&wire, once.bytes, once.size);
    assert_bounded(*state, 0);
}

static void put_anys(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        static struct wire content;
        content = wire;
        wire_clear(&wire);
        wire_text(&wire, 1, "/google.protobuf.Any");
        wire_bytes(&wire, 2, content.bytes, content.size);
    }
    wire_wrap(&wire, 16, 1);
}

TEST_WITH(a_hundred_levels_of_any_take_no_more, open_known, close_decoding)
{
    put_anys(LEVELS - 1); /* the innermost Any is empty */
    assert_bounded(*state, 0);
    wire_clear(&wire);
    put_anys(LEVELS);
    /* The innermost Any is too deep, so its content is written as base64. */
    assert_bounded(*state, 1);
    wire_clear(&wire);
    put_anys(1000);
    assert_bounded(*state, 1);
}

TEST_WITH(a_hundred_levels_of_values_take_no_more, open_known, close_decoding)
{
    for (int level = 1; level < LEVELS - 1; level += 2) {
        wire_wrap(&wire, 1, 1); /* a Value in a list */
        wire_wrap(&wire, 6, 1); /* the list in a Value */
    }
    wire_wrap(&wire, 5, 1);
    assert_bounded(*state, 0);
}

TEST_WITH(a_datagram_as_deep_as_can_be_is_too_deep_and_takes_no_more, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    struct job job = {.decoding = decoding};
    size_t nothing = run_on_nothing(decoding);
    while (wire.size < LARGEST - 8)
        wire_wrap(&wire, 18, 1);
    size_t used = run_on_small_stack(&job);
    assert_int_equal(job.result, DECODE_TOO_DEEP);
    if (used > nothing)
        assert_in_range((used - nothing) / LEVELS, 0, LEVEL_MOST);
    wire_clear(&wire);
    static const uint32_t groups[] = {4, 5, 99};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        wire_clear(&wire);
        while (wire.size < LARGEST - 2)
            wire_tag(&wire, groups[i], GROUP_START);
        run_on_small_stack(&job);
        assert_int_equal(job.result, DECODE_TOO_DEEP);
    }
}

/* These tests nest AnyValues of OTLP that contain lists, as deep as fits in a datagram. */
static int open_otlp(void **state)
{
    int result = decoding_set_up_schema(state, &schema_otlp);
    struct decoding *decoding = *state;
    decoding->type = ((const struct message_schema *)decoding->schema)->type;
    return result;
}

static void put_lists_in_an_attribute(size_t levels_of_two)
{
    for (size_t i = 0; i < levels_of_two; i++) {
        wire_wrap(&wire, 1, 1); /* an AnyValue in a list */
        wire_wrap(&wire, 5, 1); /* the list in an AnyValue */
    }
    wire_wrap(&wire, 2, 1); /* the value of an attribute */
    wire_wrap(&wire, 1, 3); /* attribute, resource, resource metrics */
}

TEST_WITH(an_any_value_of_a_hundred_levels_takes_no_more, open_otlp, close_decoding)
{
    put_lists_in_an_attribute(48); /* four more levels are around the lists */
    assert_bounded(*state, 0);
}

TEST_WITH(an_any_value_as_deep_as_a_datagram_goes_is_too_deep, open_otlp, close_decoding)
{
    struct decoding *decoding = *state;
    struct job job = {.decoding = decoding};
    put_lists_in_an_attribute(49);
    run_on_small_stack(&job);
    assert_int_equal(job.result, DECODE_TOO_DEEP);
    wire_clear(&wire);
    while (wire.size < LARGEST - 32) {
        wire_wrap(&wire, 1, 1);
        wire_wrap(&wire, 5, 1);
    }
    put_lists_in_an_attribute(0);
    assert_in_range(wire.size, LARGEST - 32, LARGEST);
    run_on_small_stack(&job);
    assert_int_equal(job.result, DECODE_TOO_DEEP);
}
