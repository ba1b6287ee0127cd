/* Guesses the schema of messages of real senders among the built-in ones. */
#include <stdio.h>
#include <string.h>

#include "collector/record/schema_guess.h"
#include "proto/schemas.h"
#include "tests/support/capture/capture_reading.h"
#include "tests/support/proto/wire.h"
#include "tests/support/test.h"

static struct wire wire;
static struct schema_guess *guess;

static int make_guess(void **state)
{
    (void)state;
    wire_clear(&wire);
    guess = schema_guess_create(builtin_schemas);
    return guess == NULL ? -1 : 0;
}

static int free_guess(void **state)
{
    (void)state;
    schema_guess_destroy(guess);
    return 0;
}

static void assert_named(const struct schema_ops *right, const uint8_t *data, size_t size)
{
    for (size_t i = 0; builtin_schemas[i] != NULL; i++) {
        if (builtin_schemas[i] == right)
            continue;
        const char *name = schema_guess_name(guess, builtin_schemas[i], data, size);
        assert_non_null(name);
        assert_string_equal(name, right->name);
    }
}

static void assert_capture_named(const struct schema_ops *right, const char *file)
{
    char path[1024];
    struct capture_reading reading;
    snprintf(path, sizeof path, "%s/%s", TEST_CAPTURES, file);
    capture_reading_take(&reading, path, 0);
    assert_true(reading.count != 0);
    for (size_t i = 0; i < reading.count; i++)
        if (reading.datagrams[i].size != 0)
            assert_named(right, reading.datagrams[i].data, reading.datagrams[i].size);
    capture_reading_free(&reading);
}

static void what_riemann_clients_send_is_riemanns(void **state)
{
    (void)state;
    assert_capture_named(&schema_riemann, "riemann_cli_v4.pcap");
    assert_capture_named(&schema_riemann, "collectd_riemann_batchoff_v4.pcap");
    assert_capture_named(&schema_riemann, "syslogng_riemann_batch10.pcap");
}

static void each_kind_of_otlp_is_distinguished(void **state)
{
    (void)state;
    assert_capture_named(&schema_otlp, "otlp_metrics_v4.pcap");
    assert_capture_named(&schema_otlp_logs, "otlp_logs_v4.pcap");
    assert_capture_named(&schema_otlp_traces, "otlp_traces_v4.pcap");
}

static void telemetry_is_known_by_its_samples(void **state)
{
    (void)state;
    wire_text(&wire, 1, "web1");
    wire_fixed64(&wire, 2, 1);
    wire_uint(&wire, 3, 7);
    size_t sample = wire_begin(&wire, 6);
    wire_text(&wire, 1, "cpu");
    wire_double(&wire, 3, 0.5);
    wire_end(&wire, sample);
    assert_named(&schema_telemetry, wire.bytes, wire.size);
}

static void what_nobody_knows_is_nobodys(void **state)
{
    (void)state;
    wire_uint(&wire, 500, 1);
    assert_null(schema_guess_name(guess, &schema_telemetry, wire.bytes, wire.size));
    assert_null(schema_guess_name(guess, &schema_telemetry, (const uint8_t *)"\x07", 1));
    assert_null(schema_guess_name(guess, &schema_telemetry, (const uint8_t *)"", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_riemann_clients_send_is_riemanns),
        cmocka_unit_test(each_kind_of_otlp_is_distinguished),
        cmocka_unit_test(telemetry_is_known_by_its_samples),
        cmocka_unit_test(what_nobody_knows_is_nobodys),
    };
    return cmocka_run_group_tests_name("schema_guess", tests, make_guess, free_guess);
}
