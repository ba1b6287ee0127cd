/* Tests the names of topics and subjects with fields of the record. */
#include <string.h>

#include "collector/contract/listener.h"
#include "collector/contract/record.h"
#include "collector/contract/schema.h"
#include "sinks/destinations/topic_template.h"
#include "tests/support/test.h"

#define HOUR_NS INT64_C(3600000000000)

static const struct schema schema = {.name = "telemetry"};
static const struct listener listener = {.name = "udp://127.0.0.1:5555"};

static void assert_names(const char *text, bool dots_part, int64_t received_ns, const char *name)
{
    struct topic_template topic;
    struct error error;
    char made[DELIVERY_ROUTE_SIZE];
    assert_int_equal(topic_template_read(&topic, text, dots_part, &error), 0);
    const struct record record = {.schema = &schema, .received_ns = received_ns};
    for (int i = 0; i < 2; i++) { /* the second result comes from the cache */
        assert_int_equal(topic_template_expand(&topic, &listener, &record, made), strlen(name));
        assert_string_equal(made, name);
    }
}

TEST(a_name_without_fields_stays_as_it_is)
{
    assert_names("metrics", false, 0, "metrics");
    assert_names("100%%", false, 0, "100%");
}

TEST(fields_are_filled_and_what_a_name_may_not_hold_is_replaced)
{
    assert_names("s.%{schema}.%{listener}", false, 0, "s.telemetry.udp___127.0.0.1_5555");
    assert_names("s.%{schema}.%{listener}", true, 0, "s.telemetry.udp___127_0_0_1_5555");
}

TEST(times_are_those_of_the_arrival_in_utc)
{
    const int64_t noon = INT64_C(1795176000) * 1000000000; /* 2026-11-20T12:00:00Z */
    assert_names("t-%F-%H", false, noon, "t-2026-11-20-12");
    assert_names("%Y%m%d", false, noon, "20261120");
    assert_names("%F-%H", false, -1, "1969-12-31-23");
    assert_names("%F-%H", false, INT64_MIN, "1677-09-21-00");
    assert_names("%F-%H", false, INT64_MAX, "2262-04-11-23");
}

TEST(a_name_changes_with_its_hour_its_listener_and_its_schema)
{
    static const struct schema other_schema = {.name = "otlp"};
    static const struct listener other_listener = {.name = ""};
    struct topic_template topic;
    struct error error;
    char made[DELIVERY_ROUTE_SIZE];
    assert_int_equal(topic_template_read(&topic, "%{listener}-%{schema}-%H", false, &error), 0);
    struct record record = {.schema = &schema};
    topic_template_expand(&topic, &listener, &record, made);
    assert_string_equal(made, "udp___127.0.0.1_5555-telemetry-00");
    topic_template_expand(&topic, &other_listener, &record, made);
    assert_string_equal(made, "_-telemetry-00");
    record.schema = &other_schema;
    topic_template_expand(&topic, &other_listener, &record, made);
    assert_string_equal(made, "_-otlp-00");
    record.received_ns = 2 * HOUR_NS - 1;
    topic_template_expand(&topic, &other_listener, &record, made);
    assert_string_equal(made, "_-otlp-01");
    record.schema = NULL;
    topic_template_expand(&topic, &other_listener, &record, made);
    assert_string_equal(made, "_-_-01");
}

TEST(a_name_changes_with_its_sender)
{
    char sender[] = "web.1";
    struct topic_template topic;
    struct error error;
    char made[DELIVERY_ROUTE_SIZE];
    assert_int_equal(topic_template_read(&topic, "s.%{sender}", true, &error), 0);
    struct record record = {.schema = &schema};
    topic_template_expand(&topic, &listener, &record, made);
    assert_string_equal(made, "s._");
    record.sender = sender;
    topic_template_expand(&topic, &listener, &record, made);
    assert_string_equal(made, "s.web_1");
    strcpy(sender, "db"); /* after a reload, another key may have the same address */
    topic_template_expand(&topic, &listener, &record, made);
    assert_string_equal(made, "s.db");
}

TEST(a_name_that_is_too_long_is_none)
{
    char text[DELIVERY_ROUTE_SIZE + 1];
    memset(text, 'a', sizeof text);
    struct topic_template topic;
    struct error error;
    char made[DELIVERY_ROUTE_SIZE];
    const struct record record = {.schema = &schema};
    text[DELIVERY_ROUTE_SIZE] = '\0';
    assert_int_equal(topic_template_read(&topic, text, false, &error), 0);
    assert_int_equal(topic_template_expand(&topic, &listener, &record, made), 0);
    text[DELIVERY_ROUTE_SIZE - 1] = '\0';
    assert_int_equal(topic_template_read(&topic, text, false, &error), 0);
    assert_int_equal(topic_template_expand(&topic, &listener, &record, made),
                     DELIVERY_ROUTE_SIZE - 1);
}

TEST(a_field_that_there_is_not_is_refused)
{
    static const char *const wrong[] = {"%",  "a%",        "%x",        "%{",  "%{schema",
                                        "%s", "%{source}", "%{Schema}", "%%%", "%{}"};
    struct topic_template topic;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct error error;
        assert_int_equal(topic_template_read(&topic, wrong[i], false, &error), -1);
        assert_int_equal(error.code, EXIT_CODE_CONFIG);
    }
}
