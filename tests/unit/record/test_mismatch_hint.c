/*
 * Tests two hints in the log: messages of a listener may have another schema, or they produce no
 * line.
 */
#include <stdio.h>
#include <string.h>

#include "collector/log/log.h"
#include "collector/record/mismatch_hint.h"
#include "proto/schemas.h"
#include "tests/support/proto/decoding.h"
#include "tests/support/test.h"

#define LISTENER "udp://127.0.0.1:5730"
#define SECOND   INT64_C(1000000000)
#define NOW      (1000 * SECOND)

/* --- log lines -------------------------------------------------------------------------------- */

static char told[4096];
static unsigned lines;

static bool take_line(enum log_level level, const char *line, size_t size)
{
    (void)level;
    snprintf(told, sizeof told, "%.*s", (int)size, line);
    lines++;
    return true;
}

static void assert_lines(unsigned count)
{
    assert_int_equal(lines, count);
    lines = 0;
}

static struct mismatch_hint hint;
static struct mismatch_hint_pace pace;

static int begin(void **state, const struct schema_ops *ops)
{
    struct schema_guess *guess = schema_guess_create(builtin_schemas);
    assert_non_null(guess);
    mismatch_hint_init(&hint, guess);
    pace = (struct mismatch_hint_pace){0};
    lines = 0;
    log_divert(take_line);
    return decoding_set_up_schema(state, ops);
}

static int begin_telemetry(void **state)
{
    return begin(state, &schema_telemetry);
}

static int begin_riemann(void **state)
{
    return begin(state, &schema_riemann);
}

static int end(void **state)
{
    log_divert(NULL);
    schema_guess_destroy(hint.guess);
    return close_decoding(state);
}

/* --- writing messages ------------------------------------------------------------------------- */

enum { SERVICE = 3, HOST = 4, EVENTS = 6, METRIC_F = 15, STATE_OF_EVENT = 2 };

static void put_metric_event(void)
{
    wire_clear(&wire);
    size_t event = wire_begin(&wire, EVENTS);
    wire_text(&wire, SERVICE, "cpu");
    wire_text(&wire, HOST, "web1");
    wire_float(&wire, METRIC_F, 0.5F);
    wire_end(&wire, event);
}

static void put_state_event(void)
{
    wire_clear(&wire);
    size_t event = wire_begin(&wire, EVENTS);
    wire_text(&wire, SERVICE, "disk");
    wire_text(&wire, STATE_OF_EVENT, "ok");
    wire_end(&wire, event);
}

static void put_gauge(void)
{
    wire_clear(&wire);
    wire_text(&wire, 1, "web1");
    size_t sample = wire_begin(&wire, 6);
    wire_text(&wire, 1, "cpu");
    wire_double(&wire, 3, 0.5);
    wire_end(&wire, sample);
}

static void put_nobodys(void)
{
    wire_clear(&wire);
    wire_uint(&wire, 500, 1);
}

static struct record record_of(struct decoding *decoding)
{
    assert_int_equal(decoding_wire(decoding, &wire), DECODE_OK);
    return (struct record){.schema = decoding->schema,
                           .message = decoding->message,
                           .data = decoding->data,
                           .size = (uint32_t)wire.size};
}

static void receive(struct decoding *decoding, int64_t now_ns)
{
    struct record record = record_of(decoding);
    if (mismatch_hint_wants(&pace, decoding->unknown_fields))
        mismatch_hint_look(&hint, &pace, LISTENER, &record, now_ns);
}

static void leave_no_line(struct decoding *decoding)
{
    struct record record = record_of(decoding);
    mismatch_hint_no_line(&hint, LISTENER, &record, "stdout:");
}

/* --- messages of another schema --------------------------------------------------------------- */

TEST_WITH(the_first_message_of_another_schema_is_reported_with_the_schema_that_fits,
          begin_telemetry, end)
{
    put_metric_event();
    receive(*state, NOW);
    assert_lines(1);
    assert_string_equal(told, LISTENER ": telemetry does not know 3 of 3 fields in a datagram: "
                                       "is schema= right? schema=riemann knows them\n");
}

TEST_WITH(without_a_fitting_schema_none_is_named, begin_telemetry, end)
{
    put_nobodys();
    receive(*state, NOW);
    assert_lines(1);
    assert_string_equal(told, LISTENER ": telemetry does not know 1 of 1 fields in a datagram: "
                                       "is schema= right?\n");
}

TEST_WITH(it_is_reported_again_a_minute_later_and_not_before, begin_telemetry, end)
{
    put_metric_event();
    receive(*state, NOW);
    assert_lines(1);
    receive(*state, NOW + 1);
    receive(*state, NOW + 60 * SECOND - 1);
    assert_lines(0);
    receive(*state, NOW + 60 * SECOND);
    assert_lines(1);
    receive(*state, NOW + 120 * SECOND - 1);
    assert_lines(0);
}

TEST_WITH(a_message_in_order_does_not_suppress_the_hint, begin_telemetry, end)
{
    put_gauge();
    for (int i = 0; i < 1000; i++)
        receive(*state, NOW);
    assert_lines(0);
    put_metric_event();
    receive(*state, NOW);
    assert_lines(1);
}

TEST_WITH(threads_of_a_listener_report_it_once, begin_telemetry, end)
{
    put_metric_event();
    receive(*state, NOW);
    pace = (struct mismatch_hint_pace){0}; /* as for another thread */
    receive(*state, NOW);
    assert_lines(1);
}

TEST_WITH(with_other_schemas_it_is_reported_again, begin_telemetry, end)
{
    put_metric_event();
    receive(*state, NOW);
    mismatch_hint_restart(&hint);
    receive(*state, NOW + 1);
    assert_lines(2);
}

/* The message has all fields of the schema and one unknown field, as a newer sender would send. */
TEST_WITH(a_sender_newer_than_the_schema_causes_no_hint, begin_telemetry, end)
{
    put_gauge();
    wire_uint(&wire, 500, 1);
    for (int i = 0; i < 300; i++)
        receive(*state, NOW);
    assert_lines(0);
}

TEST_WITH(with_such_a_sender_few_messages_are_examined, begin_telemetry, end)
{
    put_gauge();
    wire_uint(&wire, 500, 1);
    for (int i = 0; i < HINT_IN_ORDER; i++)
        receive(*state, NOW);
    put_metric_event();
    for (int i = 0; i < HINT_ONE_IN - 1; i++)
        receive(*state, NOW);
    assert_lines(0);
    receive(*state, NOW);
    assert_lines(1);
    receive(*state, NOW + 60 * SECOND); /* after the first hint every message is examined */
    assert_lines(1);
}

/* --- messages that produce no line ------------------------------------------------------------ */

TEST_WITH(a_message_without_a_line_is_reported_once, begin_riemann, end)
{
    put_state_event();
    for (int i = 0; i < 3; i++)
        leave_no_line(*state);
    assert_lines(1);
    assert_string_equal(told, LISTENER ": a message has no metric value and so leaves no line in "
                                       "stdout:; view=message shows it\n");
    mismatch_hint_restart(&hint);
    leave_no_line(*state);
    assert_lines(1);
}

/*
 * Two messages that produce no line: one whose samples are left out by a rule of the sink, and one
 * without fields.
 */
TEST_WITH(messages_with_samples_or_without_fields_are_not_reported, begin_riemann, end)
{
    put_metric_event();
    leave_no_line(*state);
    wire_clear(&wire);
    leave_no_line(*state);
    assert_lines(0);
}

TEST_WITH(messages_of_another_schema_are_not_reported_as_without_value, begin_telemetry, end)
{
    put_metric_event();
    leave_no_line(*state);
    assert_lines(0);
}
