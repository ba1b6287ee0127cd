#include <string.h>

#include "sinks/destinations/broker_place.h"
#include "tests/support/test.h"

static const struct broker_kind kind = {"kafka", "topic", "TOPIC", 9092};

static void assert_read(const char *text, const char *brokers, size_t count, const char *route)
{
    struct broker_place place;
    struct error error = {.text = ""};
    if (broker_place_read(text, &kind, &place, &error) != 0)
        fail_msg("%s: %s", text, error.text);
    assert_string_equal(place.brokers, brokers);
    assert_int_equal(place.count, count);
    assert_string_equal(place.route, route);
    assert_string_equal(broker_place_route(text), route);
}

static void assert_refused(const char *text, const char *why)
{
    struct broker_place place;
    struct error error = {.text = ""};
    assert_int_equal(broker_place_read(text, &kind, &place, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_string_equal(error.text, why);
}

TEST(brokers_stand_before_the_slash_and_the_route_after_it)
{
    assert_read("//a:1/metrics", "a:1", 1, "metrics");
    assert_read("//a/metrics", "a:9092", 1, "metrics");
    assert_read("a/metrics", "a:9092", 1, "metrics");
    assert_read("//a:1,b.example,[::1]:3/one/two", "a:1,b.example:9092,[::1]:3", 3, "one/two");
}

TEST(without_a_route_there_is_nowhere_to_go)
{
    static const char *const texts[][2] = {{"//a:1", "topic missing: kafka://a:1/TOPIC"},
                                           {"//a:1/", "topic missing: kafka://a:1/TOPIC"},
                                           {"a", "topic missing: kafka://a/TOPIC"},
                                           {"", "topic missing: kafka://BROKER/TOPIC"},
                                           {"//", "topic missing: kafka://BROKER/TOPIC"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_refused(texts[i][0], texts[i][1]);
        assert_string_equal(broker_place_route(texts[i][0]), "");
    }
    assert_refused("//user:secret@a:1",
                   "a user and a password are not allowed before the brokers; put them in the file "
                   "of properties_file= (kafka:) or credentials_file= (nats:)");
}

TEST(what_is_no_broker_is_refused_by_its_text)
{
    assert_refused("///metrics", "\"\" is not HOST:PORT of a broker");
    assert_refused("//a:1,/metrics", "\"\" is not HOST:PORT of a broker");
    assert_refused("//a:0/metrics", "\"a:0\" is not HOST:PORT of a broker");
    assert_refused("//a:65536/metrics", "\"a:65536\" is not HOST:PORT of a broker");
    assert_refused("//a,b:x/metrics", "\"b:x\" is not HOST:PORT of a broker");
}
