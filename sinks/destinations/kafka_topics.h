/*
 * The topics of a producer, by name. Their number is limited: a further topic replaces the least
 * recently used one. One thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_TOPICS_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_TOPICS_H

#include <stddef.h>
#include <stdint.h>

#include "sinks/destinations/kafka_library.h"

struct kafka_topics;

/* At most `most` (≥ 1) topics are kept at a time. Returns NULL if out of memory. */
struct kafka_topics *kafka_topics_create(const struct kafka_library *library, size_t most);

/* NULL is allowed. All topics must have been released. */
void kafka_topics_destroy(struct kafka_topics *topics);

/* Returns the bytes that kafka_topics_create allocates, without those of the library. */
size_t kafka_topics_memory(size_t most);

/* Returns the topic, valid until the next call, or NULL if the library does not accept the name. */
rd_kafka_topic_t *kafka_topics_find(struct kafka_topics *topics, rd_kafka_t *producer,
                                    const char *name);

/*
 * How long a learned limit is used. Then it is forgotten, because the broker's limit may have been
 * raised.
 */
#define KAFKA_LIMIT_LASTS_NS (INT64_C(600) * 1000000000)

/*
 * Returns the number of bytes that the topic accepts at a time, learned from refusals; SIZE_MAX:
 * unknown. The limit is forgotten with the topic, and after KAFKA_LIMIT_LASTS_NS. `now_ns` is
 * monotonic.
 */
size_t kafka_topics_limit(struct kafka_topics *topics, const char *name, int64_t now_ns);
void kafka_topics_lower(struct kafka_topics *topics, const char *name, size_t bytes,
                        int64_t now_ns);

/* Releases all topics. To be called before the producer ends. */
void kafka_topics_release(struct kafka_topics *topics);

#endif
