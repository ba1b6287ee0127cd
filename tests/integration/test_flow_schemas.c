/* Tests schemas from files, and several schemas on one port, in a whole collector. */
#include <string.h>

#include "tests/support/contract/fake_schema.h"
#include "tests/support/pipeline/flow.h"
#include "tests/support/test.h"

#define FAKE "schema=fake.desc&message=a.Fake"

static int set_up(void **state)
{
    int result = flow_set_up(state);
    fake_schemas = (struct fake_schemas){0};
    ((struct flow *)*state)->schema_from_file = &fake_schema;
    return result;
}

static int tear_down(void **state)
{
    int result = flow_tear_down(state);
    return result != 0 || fake_schemas.living != 0 ? -1 : 0;
}

static void send_bytes(struct flow *flow, const void *bytes, size_t size)
{
    struct address to = flow_address(flow, 0);
    udp_sender_send(flow->sender, &to, bytes, size);
}

#define send_literal(flow, literal) send_bytes((flow), (literal), sizeof(literal) - 1)

static void assert_lines(const struct flow *flow, const char *const *texts, size_t count)
{
    struct lines lines = lines_read(flow->output);
    assert_int_equal(lines.count, count);
    for (size_t i = 0; i < count; i++)
        if (lines_with(&lines, texts[i]) != 1)
            fail_msg("not one line with %s in\n%s", texts[i], lines.text);
    lines_free(&lines);
}

TEST_WITH(each_message_of_a_datagram_is_a_record_with_its_own_bytes, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?" FAKE "&framing=delimited&header=2 "
                    "--sink file:OUTPUT?view=message");
    send_literal(flow, "##\1a\5bcd~~");
    send_literal(flow, "##\1c\1!");
    flow_finish(flow, 20000);
    static const char *const texts[] = {
        "\"schema\":\"a.Fake\",\"bytes\":1,\"message\":{\"made\":1,\"text\":\"a\"}",
        "\"schema\":\"a.Fake\",\"bytes\":5,\"message\":{\"made\":1,\"text\":\"bcd~~\"}"};
    assert_lines(flow, texts, 2);
    assert_int_equal(flow->final->listeners[0].decoded, 1);
    assert_int_equal(flow->final->listeners[0].messages, 2);
    assert_int_equal(flow->final->listeners[0].reasons[REASON_MALFORMED], 1);
    assert_int_equal(flow->final->sinks[0].written, 2);
    assert_int_equal(flow->final->sinks[0].json_fallback, 2);
}

TEST_WITH(several_schemas_share_a_port, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?" FAKE "&match=magic:41&schema=g.desc&message=b.G"
                    "&match=source:127.0.0.2&schema=riemann --sink file:OUTPUT?view=message");
    send_literal(flow, "A text");
    flow_send(flow, 0, 7, 1);
    flow_finish(flow, 20000);
    static const char *const texts[] = {"\"schema\":\"a.Fake\"", "\"schema\":\"riemann\""};
    assert_lines(flow, texts, 2);
    assert_string_equal(flow->final->listeners[0].schema, "a.Fake, b.G, riemann");
}

/* One of the two schemas has samples. Records of the other are shown as messages. */
TEST_WITH(a_sink_shows_samples_of_what_has_them_and_else_the_message, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?" FAKE "&value=v&match=magic:41&" FAKE
                    " --sink file:OUTPUT --sink file:DIRECTORY/messages?view=message");
    send_literal(flow, "A sample");
    send_literal(flow, "message");
    flow_finish(flow, 20000);
    static const char *const texts[] = {"\"name\":\"A sample\"", "\"message\":{\"made\":2"};
    assert_lines(flow, texts, 2);
    assert_int_equal(flow->final->sinks[0].samples, 1);
    assert_int_equal(flow->final->sinks[1].samples, 0);
    assert_int_equal(flow->final->sinks[1].lines, 2);
}

TEST_WITH(a_sample_has_its_labels_from_the_encoders_room, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?" FAKE "&value=v --sink file:OUTPUT?view=sample");
    send_literal(flow, "x");
    flow_finish(flow, 20000);
    static const char *const texts[] = {"\"labels\":{\"made\":\"1\"}"};
    assert_lines(flow, texts, 1);
}

TEST_WITH(samples_of_what_has_none_are_refused_by_name, set_up, tear_down)
{
    struct flow *flow = *state;
    atomic_store(&fake_schemas.bare, true);
    struct error error = flow_open_fails(
        flow, "--listen udp://127.0.0.1:0?schema=riemann --listen udp://127.0.0.1:0?" FAKE
              " --sink file:OUTPUT?view=sample");
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(
        error.text, "view=sample needs samples, but schema a.Fake of udp://127.0.0.1:0 has no"));
    assert_int_equal(pipeline_check(&flow->config, 0, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(
        error.text, "view=sample needs samples, but schema a.Fake of udp://127.0.0.1:0 has no"));
}

TEST_WITH(a_check_makes_the_schemas_and_leaves_none, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?" FAKE " --sink file:OUTPUT");
    struct error error;
    assert_int_equal(pipeline_check(&flow->config, 0, &error), 0);
    assert_int_equal(fake_schemas.made, 2);
    assert_int_equal(fake_schemas.living, 1);
    atomic_store(&fake_schemas.fail, true);
    assert_int_equal(pipeline_check(&flow->config, 0, &error), -1);
    assert_string_equal(error.text, "fake.desc: cannot be made");
    flow_finish(flow, 20000);
}

TEST_WITH(a_schema_that_cannot_be_made_is_reported_at_the_start, set_up, tear_down)
{
    struct flow *flow = *state;
    atomic_store(&fake_schemas.fail, true);
    struct error error = flow_open_fails(flow, "--listen udp://127.0.0.1:0?" FAKE);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_string_equal(error.text, "fake.desc: cannot be made");
}
