/* The probes' datagrams, and their lines as the JSON encoder writes them. */
#include <stdlib.h>
#include <string.h>

#include "collector/contract/encoder.h"
#include "collector/contract/listener.h"
#include "collector/contract/record.h"
#include "proto/schemas.h"
#include "sinks/sinks.h"
#include "tests/support/test.h"
#include "tools/bench/probe.h"

#define SENT_NS INT64_C(1795243003380583035) /* 2026-11-21, 06:36:43 and a part of a second */
#define DAY_NS  INT64_C(86400000000000)

static void assert_same(double found, double wanted)
{
    if (found != wanted)
        fail_msg("%.17g is not %.17g", found, wanted);
}

static char text[4096];

/* Appends the line that the collector writes of a message. */
static void append_line(struct output *out, const struct message_shape *shape, int64_t time_ns)
{
    static uint8_t bytes[65536];
    static uint8_t memory[65536];
    const struct message_plan plan = {.sender = {"probe/1", 7}, .boot_id = 1, .samples = 1};
    const struct schema_options schema_options = {.source = "telemetry"};
    const struct encoder_options encoder_options = {.view = VIEW_AUTO};
    const struct listener listener = {.name = "udp://127.0.0.1:5555"};
    struct arena arena = {.base = memory, .capacity = sizeof memory};
    struct message_template made;
    struct schema *schema;
    struct decoded decoded;
    struct error error;
    assert_int_equal(builtin_schemas[0]->create(&schema_options, &schema, &error), 0);
    assert_int_equal(message_template_init(&made, shape, &plan, 1000, &error), 0);
    size_t size = message_template_stamp(&made, 7, (uint64_t)time_ns, bytes);
    assert_int_equal(schema->ops->decode(schema, bytes, size, &arena, &decoded), DECODE_OK);
    struct record record = {.schema = schema,
                            .message = decoded.message,
                            .data = bytes,
                            .size = (uint32_t)size,
                            .received_ns = time_ns + 1000};
    struct encoder *encoder = encoder_json.create(&encoder_options);
    assert_non_null(encoder);
    assert_int_equal(encoder->ops->encode(encoder, &listener, &record, out).lines, 1);
    encoder->ops->destroy(encoder);
    message_template_clear(&made);
    schema->ops->destroy(schema);
}

TEST(the_line_of_a_probe_says_when_it_was_sent)
{
    struct output out = {.data = text, .capacity = sizeof text};
    double late[4];
    append_line(&out, &probe_shape, SENT_NS);
    assert_int_equal(probe_find(text, out.used, SENT_NS + 123456, late, 4), 1);
    assert_same(late[0], 123456);
}

TEST(midnight_may_pass_between_send_and_line)
{
    struct output out = {.data = text, .capacity = sizeof text};
    double late[4];
    int64_t sent = SENT_NS / DAY_NS * DAY_NS + DAY_NS - 1000;
    append_line(&out, &probe_shape, sent);
    assert_int_equal(probe_find(text, out.used, sent + 5000, late, 4), 1);
    assert_same(late[0], 5000);
}

TEST(lines_of_other_metrics_are_passed_over)
{
    struct output out = {.data = text, .capacity = sizeof text};
    double late[4];
    append_line(&out, &message_telemetry, SENT_NS);
    append_line(&out, &probe_shape, SENT_NS + 1);
    append_line(&out, &message_telemetry, SENT_NS);
    append_line(&out, &probe_shape, SENT_NS + 2);
    assert_int_equal(probe_find(text, out.used, SENT_NS + 10, late, 4), 2);
    assert_same(late[0], 9);
    assert_same(late[1], 8);
}

TEST(no_more_are_reported_than_there_is_room_for)
{
    struct output out = {.data = text, .capacity = sizeof text};
    double late[2] = {0, -1};
    append_line(&out, &probe_shape, SENT_NS);
    append_line(&out, &probe_shape, SENT_NS);
    assert_int_equal(probe_find(text, out.used, SENT_NS + 10, late, 1), 1);
    assert_same(late[1], -1);
}

TEST(a_line_without_its_end_is_none)
{
    struct output out = {.data = text, .capacity = sizeof text};
    double late[4];
    append_line(&out, &probe_shape, SENT_NS);
    assert_int_equal(probe_find(text, out.used - 1, SENT_NS + 10, late, 4), 0);
    assert_int_equal(probe_find(text, 0, SENT_NS + 10, late, 4), 0);
    assert_int_equal(probe_find("{\n\n", 3, SENT_NS + 10, late, 4), 0);
}
