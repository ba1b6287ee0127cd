/* Tests the errors of a machine that has no libraries of message brokers, or unusable ones. */
#include <string.h>

#include "collector/contract/encoder.h"
#include "collector/platform/shared_library.h"
#include "sinks/destinations/destinations.h"
#include "tests/support/test.h"

void *__wrap_shared_library_load(const char *name, struct error *error);
bool __wrap_shared_library_find(void *library, const char *function, void *pointer,
                                struct error *error);

#define OTHER_FUNCTIONS(FUNCTION, P) FUNCTION(P, len)
SHARED_LIBRARY_DECLARE(other, str, OTHER_FUNCTIONS)
SHARED_LIBRARY_DEFINE(other, str, OTHER_FUNCTIONS, len("1") == 1 ? "1" : NULL, "libother",
                      "libother.so.1", "", "other")

static bool there;

void *__wrap_shared_library_load(const char *name, struct error *error)
{
    static int library;
    if (there)
        return &library;
    error_set(error, EXIT_CODE_CONFIG, "%s: no such file", name);
    return NULL;
}

bool __wrap_shared_library_find(void *library, const char *function, void *pointer,
                                struct error *error)
{
    (void)library;
    (void)pointer;
    error_set(error, EXIT_CODE_CONFIG, "no such function: %s", function);
    return false;
}

static void expect_refused(const struct destination_ops *ops, const char *why)
{
    static const struct encoder_ops encoder = {.name = "json"};
    const struct sink_settings settings = {.encoder = &encoder, .broker = {.max_topics = 1}};
    const struct destination_options options = {.path = "//a/t", .settings = &settings};
    struct destination *destination = NULL;
    struct error error = {.text = ""};
    assert_int_equal(ops->check(&options, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_string_equal(error.text, why);
    error.text[0] = '\0';
    assert_int_equal(ops->create(&options, &destination, &error), -1);
    assert_string_equal(error.text, why);
}

TEST(without_its_library_a_broker_is_refused_with_the_reason)
{
    there = false;
    expect_refused(&destination_kafka,
                   "kafka: this machine has no usable librdkafka: " SLUICE_LOADED_RDKAFKA
                   ": no such file; on Debian: apt "
                   "install " SLUICE_LOADED_RDKAFKA_PACKAGE);
    expect_refused(&destination_nats, "nats: this machine has no usable nats.c: " SLUICE_LOADED_NATS
                                      ": no such file; on Debian: apt "
                                      "install " SLUICE_LOADED_NATS_PACKAGE);
    assert_string_equal(destination_kafka.library(), "librdkafka (not on this system)");
    assert_string_equal(destination_nats.library(), "nats.c (not on this system)");
}

TEST(where_debian_has_no_package_of_a_library_none_is_named)
{
    struct error error = {.text = ""};
    there = false;
    assert_null(other_library(&error));
    assert_string_equal(error.text, "other: this machine has no usable libother: "
                                    "libother.so.1: no such file");
}

TEST(a_library_that_lacks_a_function_is_refused_the_same)
{
    there = true;
    expect_refused(&destination_kafka, "kafka: this machine has no usable librdkafka: "
                                       "no such function: rd_kafka_version_str");
    expect_refused(&destination_nats, "nats: this machine has no usable nats.c: "
                                      "no such function: nats_GetVersion");
}
