/*
 * A mock cluster of librdkafka, a `kafka:` destination that sends to it, and a reader of its
 * topics. An error fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_KAFKA_SCENE_H
#define SLUICE_TESTS_SUPPORT_SINKS_KAFKA_SCENE_H

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdint.h>

#include "collector/contract/delivery_figures.h"
#include "collector/contract/destination.h"
#include "collector/contract/encoder.h"
#include "collector/platform/wakeup.h"
#include "tests/support/sinks/delivery_lines.h"

#define KAFKA_PRODUCE_KEY 0 /* produce request, in Kafka's protocol */

extern const struct encoder_ops kafka_text_encoder;

struct kafka_scene {
    rd_kafka_t *host; /* the librdkafka instance that runs the cluster */
    rd_kafka_mock_cluster_t *cluster;
    struct wakeup *wakeup;
    struct destination *destination;
    char path[200];
    struct sink_settings settings; /* the options refer to it */
    struct destination_options options;
};

/*
 * Creates a cluster of one broker, and options that the test may change before it opens the
 * destination.
 */
void kafka_scene_begin(struct kafka_scene *scene, const char *topic);
void kafka_scene_end(struct kafka_scene *scene);

/* Writes librdkafka properties to a file of the scratch directory, which the options then name. */
void kafka_scene_write_properties(struct kafka_scene *scene, const char *text);

void kafka_scene_open(struct kafka_scene *scene);

/* Hands the block over; the destination must accept it at once. */
void kafka_scene_send(struct kafka_scene *scene, struct delivery_lines *lines);

/* Serves the destination until a block has its answer. */
struct delivery_block *kafka_scene_await(struct kafka_scene *scene, struct error *error);

/*
 * kafka_scene_figure returns a figure of the destination; for a histogram of times it is the number
 * of values.
 */
uint64_t kafka_scene_figure(const struct kafka_scene *scene, enum delivery_figure which);
void kafka_scene_await_figure(struct kafka_scene *scene, enum delivery_figure which,
                              uint64_t least);
uint64_t kafka_scene_times(const struct kafka_scene *scene);

struct kafka_reader {
    rd_kafka_t *consumer;
};

/* Opens a reader of the topic's first partition, from its beginning. */
struct kafka_reader kafka_scene_read(const struct kafka_scene *scene, const char *topic);
void kafka_reader_end(struct kafka_reader *reader);

/* Waits for the next message, which the caller destroys. */
rd_kafka_message_t *kafka_reader_next(const struct kafka_reader *reader);
void kafka_reader_assert(const struct kafka_reader *reader, const char *text);

#endif
