/* A machine without the libraries of message brokers, or with unusable ones. */
#include <string.h>

#include "collector/contract/encoder.h"
#include "collector/platform/shared_library.h"
#include "sinks/destinations/destinations.h"
#include "tests/support/test.h"

/* The linker replaces the real functions by these (CMakeLists.txt). */
void *__wrap_shared_library_load(const char *name, struct error *error);
bool __wrap_shared_library_find(void *library, const char *function, void *pointer,
                                struct error *error);

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
    expect_refused(&destination_kafka, "kafka: this machine has no usable librdkafka: "
                                       "librdkafka.so.1: no such file; on Debian: apt "
                                       "install librdkafka1");
    expect_refused(&destination_nats, "nats: this machine has no usable nats.c: "
                                      "libnats.so.3.4: no such file; on Debian: apt "
                                      "install libnats3.4");
    assert_string_equal(destination_kafka.library(), "librdkafka (not on this system)");
    assert_string_equal(destination_nats.library(), "nats.c (not on this system)");
}

TEST(a_library_that_lacks_a_function_is_refused_the_same)
{
    there = true;
    expect_refused(&destination_kafka, "kafka: this machine has no usable librdkafka: "
                                       "no such function: rd_kafka_version_str");
    expect_refused(&destination_nats, "nats: this machine has no usable nats.c: "
                                      "no such function: nats_GetVersion");
}
