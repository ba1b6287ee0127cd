/*
 * Tests properties for librdkafka in a kafka: sink's URL: their effects, and properties that are
 * refused.
 */
#include <stdio.h>
#include <string.h>

#include "sinks/destinations/destinations.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/sinks/kafka_scene.h"
#include "tests/support/test.h"

TEST_WITH(after_a_fatal_error_another_producer_delivers, scratch_make, scratch_remove)
{
    (void)state;
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    /* Because of this property, a message that the broker refuses makes the producer fail. */
    rd_kafka_mock_push_request_errors(scene.cluster, KAFKA_PRODUCE_KEY, 1,
                                      RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
    kafka_scene_write_properties(&scene, "enable.gapless.guarantee=true\n");
    kafka_scene_open(&scene);
    delivery_lines_fill(&lines, "t", 3);
    kafka_scene_send(&scene, &lines);
    assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
    for (size_t i = 0; i < 3; i++)
        assert_int_not_equal(lines.records[i].outcome, DELIVERY_ACKNOWLEDGED);
    int64_t until = patience_until();
    delivery_lines_fill(&lines, "t", 3);
    while (!scene.destination->delivery->send(scene.destination, &lines.block, &error)) {
        assert_true(patience(until));
        scene.destination->delivery->serve(scene.destination);
    }
    assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    assert_int_equal(kafka_scene_figure(&scene, FIGURE_RESTARTS), 1);
    assert_int_equal(kafka_scene_figure(&scene, FIGURE_MESSAGES), 0);
    kafka_scene_end(&scene);
}

TEST_WITH(it_says_how_its_brokers_answer, scratch_make, scratch_remove)
{
    (void)state;
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    kafka_scene_write_properties(&scene, "statistics.interval.ms=100\nclient.id=a\\b\"c\n");
    kafka_scene_open(&scene);
    rd_kafka_mock_broker_set_rtt(scene.cluster, 1, 300);
    delivery_lines_fill(&lines, "t", 7);
    kafka_scene_send(&scene, &lines);
    assert_int_equal(kafka_scene_figure(&scene, FIGURE_MESSAGES), 7);
    kafka_scene_await_figure(&scene, FIGURE_REQUESTS_IN_FLIGHT, 1);
    kafka_scene_await(&scene, &error);
    assert_int_equal(kafka_scene_figure(&scene, FIGURE_MESSAGES), 0);
    assert_int_equal(kafka_scene_times(&scene), 1);
    kafka_scene_await_figure(&scene, FIGURE_ROUND_TRIP, 300000000);
    assert_true(kafka_scene_figure(&scene, FIGURE_CONNECTIONS) >= 1);
    assert_true(kafka_scene_figure(&scene, FIGURE_CONNECTS) >= 1);
    assert_true(kafka_scene_figure(&scene, FIGURE_REQUESTS) >= 1);
    kafka_scene_end(&scene);
}

/* --- settings that are refused ---------------------------------------------------------------- */

static void assert_refused(const struct kafka_scene *scene, const char *text)
{
    struct error error = {.text = ""};
    assert_int_equal(destination_kafka.check(&scene->options, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(error.text, text));
    assert_null(strstr(error.text, "hidden"));
}

TEST_WITH(a_property_that_is_wrong_is_named_with_its_line_and_its_value_is_not_shown, scratch_make,
          scratch_remove)
{
    (void)state;
    struct kafka_scene scene = {
        .settings = {.broker = {.max_topics = 1}, .encoder = &kafka_text_encoder},
        .options = {.path = "//127.0.0.1/t", .settings = &scene.settings}};
    kafka_scene_write_properties(&scene, "# ours\nsasl.password=hidden\n\nlinger.ms = hidden\n");
    assert_refused(&scene, "properties:4: librdkafka does not accept this value of linger.ms");
    kafka_scene_write_properties(&scene, "nonsense=hidden");
    assert_refused(&scene, "properties:1: librdkafka does not know the property nonsense");
    kafka_scene_write_properties(&scene, "linger.ms=1\nacks=0\n");
    assert_refused(&scene, "properties:2: acks cannot be set here: it is always \"all\"");
    kafka_scene_write_properties(&scene, "hidden\n");
    assert_refused(&scene, "properties:1: this line is not NAME=VALUE");
    kafka_scene_write_properties(&scene, "=hidden\n");
    assert_refused(&scene, "properties:1: this line is not NAME=VALUE");
    scene.settings.broker.properties = (char *)(uintptr_t)scratch_path("nowhere");
    struct error error = {.text = ""};
    assert_int_equal(destination_kafka.check(&scene.options, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
}

TEST(brokers_have_a_host_and_perhaps_a_port_and_a_topic_follows)
{
    static const char *const wrong[] = {
        "",        "//",          "//a",      "//a/",     "///t",   "//a,/t",  "//,a/t",  "//a:/t",
        "//a:0/t", "//a:65536/t", "//a:1x/t", "//[::1/t", "//[]/t", "//a b/t", "//a@b/t",
    };
    struct kafka_scene scene = {
        .settings = {.broker = {.max_topics = 1}, .encoder = &kafka_text_encoder},
        .options = {.settings = &scene.settings}};
    struct error error;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        scene.options.path = wrong[i];
        assert_int_equal(destination_kafka.check(&scene.options, &error), -1);
        assert_int_equal(error.code, EXIT_CODE_CONFIG);
    }
    static const char *const right[] = {"//a/t", "a:1/t", "//[::1]:9092,b.example:65535/t"};
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        scene.options.path = right[i];
        assert_int_equal(destination_kafka.check(&scene.options, &error), 0);
    }
}
