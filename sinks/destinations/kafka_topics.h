/*
 * The topics that a producer writes to, by their names: a few at a time. Where a further one is
 * needed, the one that was not used for the longest time makes room. One thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_TOPICS_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_TOPICS_H

#include <stddef.h>
#include <stdint.h>

#include "sinks/destinations/kafka_library.h"

struct kafka_topics;

/* For at most `most` (≥ 1) topics at a time. Returns NULL without memory. */
struct kafka_topics *kafka_topics_create(const struct kafka_library *library, size_t most);

/* NULL is allowed. All topics have been released. */
void kafka_topics_destroy(struct kafka_topics *topics);

/* Bytes that it allocates, without what the library does. */
size_t kafka_topics_memory(size_t most);

/* The topic of that name; it stays until the next call. NULL: the library takes no such name. */
rd_kafka_topic_t *kafka_topics_find(struct kafka_topics *topics, rd_kafka_t *producer,
                                    const char *name);

/* How long it is known what a topic takes: it may be raised. */
#define KAFKA_LIMIT_LASTS_NS (INT64_C(600) * 1000000000)

/*
 * What was learnt of the topic: bytes that it takes at a time, SIZE_MAX as long as it has refused
 * nothing. It is forgotten with the topic, and some time after it was learnt. `now_ns` is
 * monotonic.
 */
size_t kafka_topics_limit(struct kafka_topics *topics, const char *name, int64_t now_ns);
void kafka_topics_lower(struct kafka_topics *topics, const char *name, size_t bytes,
                        int64_t now_ns);

/* Releases all of them, as has to be done before their producer ends. */
void kafka_topics_release(struct kafka_topics *topics);

#endif
