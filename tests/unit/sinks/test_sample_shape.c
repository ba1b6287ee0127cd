/*
 * Tests that rename=, keep_label=, drop_label=, rename_label= and add_label= change names and
 * labels of samples in each format.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/machine.h"
#include "proto/schemas.h"
#include "tests/support/proto/otlp_wire.h"
#include "tests/support/sinks/ruled_encoding.h"
#include "tests/support/test.h"

static struct telemetry_builder builder;
static struct wire wire;

static int set_up(void **state)
{
    (void)state;
    telemetry_begin(&builder);
    wire_clear(&wire);
    return 0;
}

/* Asserts how a sample with three labels is written. One of the labels is shared by all samples. */
static void assert_becomes(const char *keys, const char *expected)
{
    telemetry_add_label(&builder, "zone", "eu");
    telemetry_add_double(&builder, "cpu.load", 1);
    telemetry_add_label(&builder, "host", "web1");
    telemetry_add_label(&builder, "pid", "7");
    assert_string_equal(ruled_heads(keys, &builder), expected);
}

TEST_WITH(a_metric_has_its_new_name, set_up, NULL)
{
    (void)state;
    assert_becomes("rename=cpu.load:load", "load,host=web1,pid=7,zone=eu");
    assert_becomes("rename=cpu:load", "cpu.load,host=web1,pid=7,zone=eu");
    assert_becomes("rename=mem:m,cpu.load:l,host:h", "l,host=web1,pid=7,zone=eu");
    assert_becomes("rename=cpu.load:x,x:y", "x,host=web1,pid=7,zone=eu"); /* renamed only once */
}

TEST_WITH(labels_are_left_out, set_up, NULL)
{
    (void)state;
    assert_becomes("drop_label=pid", "cpu.load,host=web1,zone=eu");
    assert_becomes("drop_label=p*,zone", "cpu.load,host=web1");
    assert_becomes("drop_label=*", "cpu.load");
    assert_becomes("drop_label=pi,PID,pidd", "cpu.load,host=web1,pid=7,zone=eu");
    assert_becomes("keep_label=host,z*", "cpu.load,host=web1,zone=eu");
    assert_becomes("keep_label=*", "cpu.load,host=web1,pid=7,zone=eu");
    assert_becomes("keep_label=none", "cpu.load");
    assert_becomes("keep_label=host,zone&drop_label=z*", "cpu.load,host=web1");
    assert_becomes("keep_label=host&rename_label=host:h&add_label=zone=here",
                   "cpu.load,h=web1,zone=here");
}

TEST_WITH(labels_have_their_new_names, set_up, NULL)
{
    (void)state;
    assert_becomes("rename_label=host:instance,zone:z", "cpu.load,instance=web1,pid=7,z=eu");
    assert_becomes("rename_label=host:zone,zone:host", "cpu.load,zone=web1,pid=7,host=eu");
    assert_becomes("rename_label=web1:x,cpu.load:y", "cpu.load,host=web1,pid=7,zone=eu");
}

TEST_WITH(of_two_that_get_one_name_the_first_counts, set_up, NULL)
{
    (void)state;
    assert_becomes("rename_label=zone:host", "cpu.load,host=web1,pid=7");
    assert_becomes("rename_label=host:zone", "cpu.load,zone=web1,pid=7");
    assert_becomes("rename_label=zone:host&drop_label=host", "cpu.load,pid=7,host=eu");
}

TEST_WITH(a_label_is_added_where_there_is_none_of_its_name, set_up, NULL)
{
    (void)state;
    assert_becomes("add_label=env=prod,site=fra1",
                   "cpu.load,host=web1,pid=7,zone=eu,env=prod,site=fra1");
    assert_becomes("add_label=host=other", "cpu.load,host=web1,pid=7,zone=eu");
    assert_becomes("add_label=host=other&drop_label=host", "cpu.load,pid=7,zone=eu,host=other");
    assert_becomes("add_label=host=x,inst=x&rename_label=host:inst",
                   "cpu.load,inst=web1,pid=7,zone=eu,host=x");
}

TEST_WITH(what_is_added_may_say_where_the_record_came_from, set_up, NULL)
{
    (void)state;
    char host[HOST_NAME_SIZE], wanted[HOST_NAME_SIZE + 100];
    host_name(host);
    snprintf(wanted, sizeof wanted, "cpu.load,host=web1,pid=7,zone=eu,c=%s", host);
    assert_becomes("add_label=c=%{hostname}", wanted);
    assert_becomes("add_label=s=%{schema}&drop_label=*", "cpu.load,s=telemetry");
    assert_becomes("add_label=s=%{source}&drop_label=*", "cpu.load,s=192.0.2.1");
    assert_becomes("add_label=s=a%%b%{schema}c%{schema}&drop_label=*",
                   "cpu.load,s=a%btelemetryctelemetry");
    assert_becomes("add_label=s=%{schema},t=%{source}x,u=plain&drop_label=*",
                   "cpu.load,s=telemetry,t=192.0.2.1x,u=plain");
}

TEST_WITH(each_sample_gets_them, set_up, NULL)
{
    (void)state;
    telemetry_add_double(&builder, "a", 1);
    telemetry_add_double(&builder, "b", 1);
    telemetry_add_label(&builder, "k", "v");
    telemetry_add_double(&builder, "c", 1);
    assert_string_equal(ruled_heads("add_label=k=x&rename=c:d", &builder), "a,k=x b,k=v d,k=x");
}

/* The memory for the values that are made for a sample is used again for the next sample. */
TEST_WITH(each_of_many_samples_gets_a_long_value_that_is_made, set_up, NULL)
{
    enum { POINTS = 1000, LONG = 600 };
    char keys[LONG + 100];
    (void)state;
    snprintf(keys, sizeof keys, "format=influx&add_label=k=%0*d%%{schema}", LONG, 0);
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_GAUGE, "n");
    for (int i = 0; i < POINTS; i++) {
        size_t point = wire_begin(&wire, OTLP_POINTS);
        wire_double(&wire, OTLP_NUMBER_DOUBLE, 1);
        wire_end(&wire, point);
    }
    otlp_metric_end(&wire, &metric);
    struct ruled ruled = ruled_open(&schema_otlp, keys);
    assert_true(encoding_decode(ruled.encoding, wire.bytes, wire.size));
    encoding_write(ruled.encoding);
    assert_int_equal(ruled.encoding->lines, POINTS);
    const char *at = ruled.encoding->text;
    for (int i = 0; i < POINTS; i++) {
        assert_int_equal(strcspn(at, " "), strlen("n,k=") + LONG + strlen("otlp"));
        at = strchr(at, '\n') + 1;
    }
    ruled_close(&ruled);
}

/* In influx and prometheus, a label with an empty value counts as missing. */
TEST_WITH(an_empty_value_counts_where_the_format_shows_it, set_up, NULL)
{
    (void)state;
    telemetry_add_double(&builder, "a", 1);
    telemetry_add_label(&builder, "k", "");
    assert_string_equal(ruled_heads("add_label=k=x", &builder), "a,k=x");
    struct ruled ruled = ruled_open(&schema_telemetry, "add_label=k=x");
    telemetry_add_double(&builder, "a", 1);
    telemetry_add_label(&builder, "k", "");
    telemetry_end(&builder);
    assert_true(encoding_decode(ruled.encoding, builder.datagram, builder.size));
    assert_non_null(strstr(encoding_write_json(ruled.encoding), "\"labels\":{\"k\":\"\"}"));
    ruled_close(&ruled);
}

/* --- every format ----------------------------------------------------------------------------- */

#define ALL "rename=cpu.load:x&drop_label=p*&rename_label=host:h&add_label=env=prod,h=no"

static void assert_written(const char *format, const char *part)
{
    char keys[256];
    snprintf(keys, sizeof keys, "%s&format=%s", ALL, format);
    struct ruled ruled = ruled_open(&schema_telemetry, keys);
    telemetry_begin(&builder);
    telemetry_add_label(&builder, "zone", "eu");
    telemetry_add_double(&builder, "cpu.load", 1);
    telemetry_add_label(&builder, "host", "web1");
    telemetry_add_label(&builder, "pid", "7");
    telemetry_end(&builder);
    assert_true(encoding_decode(ruled.encoding, builder.datagram, builder.size));
    const char *text = encoding_write(ruled.encoding);
    if (strstr(text, part) == NULL)
        fail_msg("%s: no %s in %s", format, part, text);
    encoding_assert_whole_or_overflow(ruled.encoding);
    ruled_close(&ruled);
}

TEST_WITH(every_format_says_the_same, set_up, NULL)
{
    (void)state;
    assert_written("json", "\"name\":\"x\",\"kind\":\"gauge\",\"value\":1,"
                           "\"labels\":{\"h\":\"web1\",\"zone\":\"eu\",\"env\":\"prod\"},");
    assert_written("influx", "x,h=web1,zone=eu,env=prod value=1 ");
    assert_written("prometheus", "x{h=\"web1\",zone=\"eu\",env=\"prod\"} 1 ");
    assert_written("csv", ",x,gauge,,1,,,\"{\"\"h\"\":\"\"web1\"\",\"\"zone\"\":\"\"eu\"\","
                          "\"\"env\"\":\"\"prod\"\"}\",");
}

static void put_gauge_with_exemplar(void)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_GAUGE, "cpu");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_double(&wire, OTLP_NUMBER_DOUBLE, 1);
    otlp_put_attribute(&wire, OTLP_NUMBER_ATTRIBUTES, "pid", "7");
    otlp_put_attribute(&wire, OTLP_NUMBER_ATTRIBUTES, "host", "web1");
    size_t exemplar = wire_begin(&wire, OTLP_NUMBER_EXEMPLARS);
    wire_double(&wire, OTLP_EXEMPLAR_DOUBLE, 2);
    otlp_put_attribute(&wire, OTLP_EXEMPLAR_ATTRIBUTES, "pid", "8");
    otlp_put_attribute(&wire, OTLP_EXEMPLAR_ATTRIBUTES, "host", "web2");
    wire_end(&wire, exemplar);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
}

TEST_WITH(labels_of_exemplars_are_left_alone, set_up, NULL)
{
    (void)state;
    struct ruled ruled =
        ruled_open(&schema_otlp, "drop_label=pid&rename_label=host:h&add_label=env=prod");
    put_gauge_with_exemplar();
    assert_true(encoding_decode(ruled.encoding, wire.bytes, wire.size));
    assert_non_null(
        strstr(encoding_write_json(ruled.encoding),
               "\"labels\":{\"h\":\"web1\",\"env\":\"prod\"},\"exemplars\":[{\"value\":2,"
               "\"labels\":{\"pid\":\"8\",\"host\":\"web2\"}}]"));
    ruled_close(&ruled);
}

/* --- datagrams that would need much work ------------------------------------------------------ */

TEST_WITH(labels_that_are_dropped_count_as_steps, set_up, NULL)
{
    (void)state;
    static char key[4001];
    memset(key, 'a', sizeof key - 1);
    struct ruled ruled = ruled_open(&schema_telemetry, "drop_label=*aaaaaaaaaaaaaaab,a*");
    for (size_t samples = 1; samples <= 16; samples += 15) {
        telemetry_begin(&builder);
        for (size_t i = 0; i < 16; i++)
            telemetry_add_label(&builder, key, "v");
        for (size_t i = 0; i < samples; i++)
            telemetry_add_double(&builder, "n", 1);
        telemetry_end(&builder);
        assert_true(encoding_decode(ruled.encoding, builder.datagram, builder.size));
        if (samples == 1)
            encoding_write(ruled.encoding);
        assert_int_equal(encoding_overflows(ruled.encoding, 1 << 20), samples == 16);
    }
    ruled_close(&ruled);
}

/*
 * Writes points of one resource. The only attribute of the resource becomes a text of about 53,000
 * bytes for each point.
 */
static void put_points_of_long_label(size_t points)
{
    static const uint8_t bytes[40000];
    wire_clear(&wire);
    size_t resources = wire_begin(&wire, OTLP_REQUEST_RESOURCES);
    size_t resource = wire_begin(&wire, OTLP_RESOURCE);
    size_t attribute = wire_begin(&wire, OTLP_RESOURCE_ATTRIBUTES);
    wire_text(&wire, OTLP_KEY, "k");
    size_t value = wire_begin(&wire, OTLP_VALUE);
    wire_bytes(&wire, OTLP_BYTES, bytes, sizeof bytes);
    wire_end(&wire, value);
    wire_end(&wire, attribute);
    wire_end(&wire, resource);
    size_t scope = wire_begin(&wire, OTLP_RESOURCE_SCOPES);
    size_t metric = wire_begin(&wire, OTLP_SCOPE_METRICS);
    size_t gauge = wire_begin(&wire, OTLP_GAUGE);
    for (size_t i = 0; i < points; i++) {
        size_t point = wire_begin(&wire, OTLP_POINTS);
        wire_double(&wire, OTLP_NUMBER_DOUBLE, 1);
        wire_end(&wire, point);
    }
    wire_end(&wire, gauge);
    wire_end(&wire, metric);
    wire_end(&wire, scope);
    wire_end(&wire, resources);
}

TEST_WITH(texts_that_are_made_to_be_dropped_count_as_steps, set_up, NULL)
{
    (void)state;
    struct ruled ruled = ruled_open(&schema_otlp, "drop_label=k");
    put_points_of_long_label(100);
    assert_true(encoding_decode(ruled.encoding, wire.bytes, wire.size));
    encoding_write(ruled.encoding);
    assert_int_equal(ruled.encoding->lines, 100);
    put_points_of_long_label(200);
    assert_true(encoding_decode(ruled.encoding, wire.bytes, wire.size));
    assert_true(encoding_overflows(ruled.encoding, 1 << 20));
    ruled_close(&ruled);
}
