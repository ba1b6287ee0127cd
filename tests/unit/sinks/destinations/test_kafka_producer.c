/*
 * Tests a producer that is replaced (its counts continue, and its gauges begin at 0), and a
 * producer that cannot be created, at the start or later. The test provides the statistics of
 * librdkafka.
 */
#include <stdio.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "sinks/destinations/kafka_producer.h"
#include "tests/support/test.h"

#define SECOND INT64_C(1000000000)

typedef int statistics_callback(rd_kafka_t *handle, char *text, size_t size, void *opaque);

static statistics_callback *tell;

static void keep_callback(rd_kafka_conf_t *conf, statistics_callback *callback)
{
    (void)conf;
    tell = callback;
}

static void no_report(void *context, const rd_kafka_message_t *message)
{
    (void)context;
    (void)message;
}

static const char *refused; /* a property that librdkafka refuses */

static rd_kafka_conf_res_t set(rd_kafka_conf_t *conf, const char *name, const char *value,
                               char *why, size_t size)
{
    if (refused == NULL || strcmp(name, refused) != 0)
        return rd_kafka_conf_set(conf, name, value, why, size);
    snprintf(why, size, "not built with it");
    return RD_KAFKA_CONF_INVALID;
}

struct scene {
    struct kafka_library library;
    struct delivery_figures figures;
    struct kafka_producer producer;
};

static void scene_fill(struct scene *scene)
{
    struct error error;
    const struct kafka_library *library = kafka_library(&error);
    assert_non_null(library);
    memset(scene, 0, sizeof *scene);
    refused = NULL;
    scene->library = *library;
    scene->library.conf_set = set;
    scene->library.conf_set_stats_cb = keep_callback;
    scene->producer.library = &scene->library;
    scene->producer.name = "kafka:test";
    scene->producer.settings.brokers = "127.0.0.1:1";
    scene->producer.figures = &scene->figures;
    scene->producer.report = no_report;
    assert_int_equal(wakeup_create(&scene->producer.wakeup, NULL), 0);
}

static void scene_begin(struct scene *scene)
{
    struct error error;
    scene_fill(scene);
    assert_int_equal(kafka_producer_create(&scene->producer, 1, &error), 0);
}

static void scene_end(struct scene *scene)
{
    kafka_producer_destroy(&scene->producer);
    wakeup_destroy(scene->producer.wakeup);
}

static void say(struct scene *scene, unsigned times)
{
    char text[300];
    int size = snprintf(text, sizeof text,
                        "{\"brokers\":{\"a:1/1\":{\"state\":\"UP\",\"waitresp_cnt\":%u,"
                        "\"connects\":%u,\"tx\":%u,\"txretries\":%u,\"txerrs\":%u,"
                        "\"req_timeouts\":%u}}}",
                        2 * times, 3 * times, 100 * times, 5 * times, 7 * times, 4 * times);
    assert_int_equal(tell(scene->producer.handle, text, (size_t)size, &scene->producer), 0);
}

static void assert_counts(const struct scene *scene, uint64_t times)
{
    static const struct {
        enum delivery_figure which;
        uint64_t each;
    } counts[] = {{FIGURE_CONNECTS, 3},
                  {FIGURE_REQUESTS, 100},
                  {FIGURE_REQUEST_RETRIES, 5},
                  {FIGURE_REQUEST_ERRORS, 11}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_int_equal(counter_read(&scene->figures.values[counts[i].which]),
                         times * counts[i].each);
}

static void assert_now(const struct scene *scene, uint64_t connections, uint64_t in_flight)
{
    assert_int_equal(counter_read(&scene->figures.values[FIGURE_CONNECTIONS]), connections);
    assert_int_equal(counter_read(&scene->figures.values[FIGURE_REQUESTS_IN_FLIGHT]), in_flight);
}

TEST(what_a_producer_counted_stays_counted_when_others_follow_and_what_was_so_then_does_not)
{
    struct scene scene;
    const size_t unreported = 0;
    uint64_t times = 0;
    scene_begin(&scene);
    for (unsigned round = 1; round <= 4; round++) {
        say(&scene, 1);
        say(&scene, round); /* replaces the statistics of the same producer */
        assert_counts(&scene, times + round);
        assert_now(&scene, 1, 2 * round);
        times += round;
        scene.producer.is_fatal = true;
        kafka_producer_renew(&scene.producer, &unreported);
        assert_true(kafka_producer_takes(&scene.producer));
        assert_counts(&scene, times);
        assert_now(&scene, 0, 0);
        assert_int_equal(counter_read(&scene.figures.values[FIGURE_RESTARTS]), round);
    }
    scene_end(&scene);
    assert_counts(&scene, times);
    assert_now(&scene, 0, 0);
}

/* --- a producer that cannot be created -------------------------------------------------------- */

TEST(a_library_that_lacks_a_compression_is_refused_with_its_reason)
{
    struct scene scene;
    struct error error;
    scene_fill(&scene);
    scene.producer.settings.compression = "zstd";
    refused = "compression.type";
    assert_int_equal(kafka_producer_create(&scene.producer, 1, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_string_equal(error.text,
                        "librdkafka does not accept compression.type: not built with it");
    scene_end(&scene);
}

TEST(where_no_other_producer_can_be_made_it_is_tried_again_after_a_second)
{
    struct scene scene;
    const size_t unreported = 0;
    scene_begin(&scene);
    scene.producer.is_fatal = true;
    refused = "bootstrap.servers";
    int64_t before = clock_monotonic_ns();
    kafka_producer_renew(&scene.producer, &unreported);
    int64_t after = clock_monotonic_ns();
    assert_null(scene.producer.handle);
    kafka_producer_poll(&scene.producer);
    assert_false(kafka_producer_takes(&scene.producer));
    assert_in_range(kafka_producer_due(&scene.producer), before + SECOND, after + SECOND);
    refused = NULL;
    scene.producer.remake_ns = INT64_MAX;
    kafka_producer_renew(&scene.producer, &unreported);
    assert_false(kafka_producer_takes(&scene.producer));
    scene.producer.remake_ns = after;
    kafka_producer_renew(&scene.producer, &unreported);
    assert_true(kafka_producer_takes(&scene.producer));
    assert_int_equal(counter_read(&scene.figures.values[FIGURE_RESTARTS]), 1);
    scene_end(&scene);
}
