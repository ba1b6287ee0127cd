#include <string.h>

#include "sinks/destinations/kafka_statistics.h"
#include "tests/support/test.h"

static struct kafka_statistics of(const char *text)
{
    struct kafka_statistics statistics;
    assert_true(kafka_statistics_read(text, strlen(text), &statistics));
    return statistics;
}

TEST(brokers_are_added_up)
{
    const struct kafka_statistics sums = of(
        "{ \"name\": \"sluice#producer-1\", \"tx\":99, \"simple_cnt\":0, \"brokers\":{ "
        "\"a:1/1\": { \"state\":\"UP\", \"waitresp_cnt\":2, \"tx\":10, \"txerrs\":1, "
        "\"txretries\":3, \"req_timeouts\":4, \"connects\":5, \"rtt\": { \"min\":1, \"avg\":1000, "
        "\"cnt\":1 }, \"toppars\":{ \"t-0\": { \"topic\":\"t\", \"tx\":7 } } } ,"
        "\"b:2/2\": { \"state\":\"UP\", \"waitresp_cnt\":1, \"tx\":20, \"connects\":1, "
        "\"rtt\": { \"avg\":2000, \"cnt\":3 } },"
        "\"c:3/bootstrap\": { \"state\":\"INIT\", \"tx\":1, \"rtt\": { \"avg\":0, \"cnt\":0 } } }, "
        "\"topics\":{ \"t\":{ \"tx\":8, \"partitions\":{ \"0\":{ \"tx\":9 } } } } }");
    assert_int_equal(sums.connected, 2);
    assert_int_equal(sums.waiting, 3);
    assert_int_equal(sums.connects, 6);
    assert_int_equal(sums.requests, 31);
    assert_int_equal(sums.retries, 3);
    assert_int_equal(sums.errors, 5);
    assert_int_equal(sums.round_trip_ns, 1750000);
}

TEST(without_a_broker_all_is_nothing)
{
    const struct kafka_statistics sums = of("{\"brokers\":{},\"x\":[1,{\"tx\":2},\"a\\\"b\"]}");
    const struct kafka_statistics nothing = {0};
    assert_memory_equal(&sums, &nothing, sizeof sums);
}

TEST(what_is_torn_or_too_deep_is_refused_and_says_nothing)
{
    static const char whole[] =
        "{\"brokers\":{\"a\":{\"state\":\"UP\",\"rtt\":{\"avg\":1,\"cnt\":2}}}}";
    const struct kafka_statistics nothing = {0};
    struct kafka_statistics statistics;
    for (size_t size = 0; size < strlen(whole); size++) {
        assert_false(kafka_statistics_read(whole, size, &statistics));
        assert_memory_equal(&statistics, &nothing, sizeof nothing);
    }
    assert_true(kafka_statistics_read(whole, strlen(whole), &statistics));
    char deep[64];
    memset(deep, '[', sizeof deep);
    assert_false(kafka_statistics_read(deep, sizeof deep, &statistics));
    assert_false(kafka_statistics_read("{} x", 4, &statistics));
    assert_false(kafka_statistics_read("{\"a\" 1}", 7, &statistics));
}

TEST(a_client_id_that_librdkafka_does_not_escape_is_hidden)
{
    char text[] = "{ \"name\": \"a\\b\"c#producer-1\", \"client_id\": \"a\\b\"c\", "
                  "\"type\": \"producer\", \"brokers\":{ \"a:1/1\": { \"tx\":10 } } }";
    struct kafka_statistics statistics;
    assert_false(kafka_statistics_read(text, strlen(text), &statistics));
    kafka_statistics_hide_id(text, strlen(text));
    assert_int_equal(of(text).requests, 10);
}

TEST(a_text_without_a_type_is_left_as_it_is)
{
    static const char *const texts[] = {"", "{", "{\"brokers\":{}}", "{ \"name\": 1, \"type\""};
    char text[32];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        strcpy(text, texts[i]);
        kafka_statistics_hide_id(text, strlen(text));
        assert_string_equal(text, texts[i]);
    }
}
