#include "tests/support/sinks/kafka_scene.h"

#include <stdio.h>
#include <string.h>

#include "sinks/destinations/destinations.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

const struct encoder_ops kafka_text_encoder = {.name = "json"};

/* --- a cluster, and a destination that sends to it -------------------------------------------- */

static rd_kafka_t *make_host(void)
{
    char why[256];
    rd_kafka_t *host = rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), why, sizeof why);
    assert_non_null(host);
    return host;
}

void kafka_scene_begin(struct kafka_scene *scene, const char *topic)
{
    *scene = (struct kafka_scene){.host = make_host()};
    scene->cluster = rd_kafka_mock_cluster_new(scene->host, 1);
    assert_non_null(scene->cluster);
    assert_int_equal(wakeup_create(&scene->wakeup, NULL), 0);
    snprintf(scene->path, sizeof scene->path, "//%s/%s",
             rd_kafka_mock_cluster_bootstraps(scene->cluster), topic);
    scene->settings = (struct sink_settings){
        .delivery = {.timeout = UINT64_C(20000000000), .in_flight = 4},
        .broker = {.max_topics = 2},
        .encoder = &kafka_text_encoder,
    };
    scene->options = (struct destination_options){
        .name = "kafka:test",
        .path = scene->path,
        .settings = &scene->settings,
        .wakeup = scene->wakeup,
    };
}

void kafka_scene_write_properties(struct kafka_scene *scene, const char *text)
{
    scratch_put_text("properties", text);
    scene->settings.broker.properties = (char *)(uintptr_t)scratch_path("properties");
}

void kafka_scene_open(struct kafka_scene *scene)
{
    struct error error = {0};
    if (destination_kafka.create(&scene->options, &scene->destination, &error) != 0)
        fail_msg("%s", error.text);
}

void kafka_scene_end(struct kafka_scene *scene)
{
    scene->destination->destroy(scene->destination);
    rd_kafka_mock_cluster_destroy(scene->cluster);
    rd_kafka_destroy(scene->host);
    wakeup_destroy(scene->wakeup);
}

/* --- blocks ----------------------------------------------------------------------------------- */

void kafka_scene_send(struct kafka_scene *scene, struct delivery_lines *lines)
{
    delivery_lines_send(scene->destination, lines);
}

struct delivery_block *kafka_scene_await(struct kafka_scene *scene, struct error *error)
{
    return delivery_await(scene->destination, scene->wakeup, error);
}

/* --- reading the cluster's messages ----------------------------------------------------------- */

struct kafka_reader kafka_scene_read(const struct kafka_scene *scene, const char *topic)
{
    char why[256];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", rd_kafka_mock_cluster_bootstraps(scene->cluster),
                      why, sizeof why);
    rd_kafka_conf_set(conf, "group.id", "test", why, sizeof why);
    rd_kafka_conf_set(conf, "auto.offset.reset", "earliest", why, sizeof why);
    struct kafka_reader reader = {rd_kafka_new(RD_KAFKA_CONSUMER, conf, why, sizeof why)};
    assert_non_null(reader.consumer);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic, 0)->offset = 0;
    assert_int_equal(rd_kafka_assign(reader.consumer, list), 0);
    rd_kafka_topic_partition_list_destroy(list);
    return reader;
}

rd_kafka_message_t *kafka_reader_next(const struct kafka_reader *reader)
{
    int64_t until = patience_until();
    for (;;) {
        rd_kafka_message_t *message = rd_kafka_consumer_poll(reader->consumer, 100);
        if (message != NULL && message->err == 0)
            return message;
        if (message != NULL)
            rd_kafka_message_destroy(message);
        assert_true(patience(until));
    }
}

void kafka_reader_assert(const struct kafka_reader *reader, const char *text)
{
    rd_kafka_message_t *message = kafka_reader_next(reader);
    assert_int_equal(message->len, strlen(text));
    assert_memory_equal(message->payload, text, message->len);
    rd_kafka_message_destroy(message);
}

void kafka_reader_end(struct kafka_reader *reader)
{
    rd_kafka_destroy(reader->consumer);
}

/* --- figures of the connections --------------------------------------------------------------- */

uint64_t kafka_scene_figure(const struct kafka_scene *scene, enum delivery_figure which)
{
    return counter_read(&scene->destination->figures->values[which]);
}

void kafka_scene_await_figure(struct kafka_scene *scene, enum delivery_figure which, uint64_t least)
{
    for (int64_t until = patience_until(); kafka_scene_figure(scene, which) < least;) {
        wakeup_wait(scene->wakeup, NO_HANDLE, false, 50);
        scene->destination->delivery->serve(scene->destination);
        assert_true(patience(until));
    }
}

uint64_t kafka_scene_times(const struct kafka_scene *scene)
{
    struct histogram_totals totals = {0};
    uint64_t count = 0;
    histogram_add_to(&scene->destination->figures->request_time, &totals);
    for (size_t i = 0; i <= HISTOGRAM_BOUNDS; i++)
        count += totals.ranges[i];
    return count;
}
