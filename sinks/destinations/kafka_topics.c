#include "sinks/destinations/kafka_topics.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"

#define NAME_SIZE 250 /* with the NUL; Kafka's limit is 249 bytes */

struct topic {
    rd_kafka_topic_t *handle;
    uint64_t used; /* number of its last use */
    size_t limit;
    int64_t limit_until_ns;
    char name[NAME_SIZE];
};

struct kafka_topics {
    const struct kafka_library *library;
    uint64_t uses;
    size_t most, count;
    size_t last; /* index of the topic of the last call: usually there is only one topic */
    struct topic all[];
};

size_t kafka_topics_memory(size_t most)
{
    return sizeof(struct kafka_topics) + most * sizeof(struct topic);
}

struct kafka_topics *kafka_topics_create(const struct kafka_library *library, size_t most)
{
    RULE(most >= 1, "a producer may have a topic");
    struct kafka_topics *topics = calloc(1, kafka_topics_memory(most));
    if (topics == NULL)
        return NULL;
    topics->library = library;
    topics->most = most;
    return topics;
}

void kafka_topics_destroy(struct kafka_topics *topics)
{
    RULE(topics == NULL || topics->count == 0, "topics are released before their producer ends");
    free(topics);
}

static struct topic *topics_find_name(struct kafka_topics *topics, const char *name)
{
    for (size_t i = 0; i < topics->count; i++) {
        size_t at = (topics->last + i) % topics->count;
        if (strcmp(topics->all[at].name, name) == 0) {
            topics->last = at;
            return &topics->all[at];
        }
    }
    return NULL;
}

/*
 * Returns an entry for one more topic. If all are in use, releases the least recently used topic.
 */
static struct topic *topics_make_room(struct kafka_topics *topics)
{
    if (topics->count < topics->most)
        return &topics->all[topics->count++];
    struct topic *oldest = &topics->all[0];
    for (size_t i = 1; i < topics->count; i++)
        if (topics->all[i].used < oldest->used)
            oldest = &topics->all[i];
    topics->library->topic_destroy(oldest->handle);
    return oldest;
}

rd_kafka_topic_t *kafka_topics_find(struct kafka_topics *topics, rd_kafka_t *producer,
                                    const char *name)
{
    struct topic *topic = topics_find_name(topics, name);
    if (topic == NULL) {
        if (strlen(name) >= NAME_SIZE)
            return NULL;
        rd_kafka_topic_t *handle = topics->library->topic_new(producer, name, NULL);
        if (handle == NULL)
            return NULL;
        topic = topics_make_room(topics);
        topic->handle = handle;
        topic->limit = SIZE_MAX;
        snprintf(topic->name, sizeof topic->name, "%s", name);
    }
    topic->used = ++topics->uses;
    return topic->handle;
}

size_t kafka_topics_limit(struct kafka_topics *topics, const char *name, int64_t now_ns)
{
    struct topic *topic = topics_find_name(topics, name);
    if (topic != NULL && now_ns >= topic->limit_until_ns)
        topic->limit = SIZE_MAX;
    return topic == NULL ? SIZE_MAX : topic->limit;
}

void kafka_topics_lower(struct kafka_topics *topics, const char *name, size_t bytes, int64_t now_ns)
{
    struct topic *topic = topics_find_name(topics, name);
    if (topic == NULL || bytes >= topic->limit)
        return;
    if (topic->limit == SIZE_MAX)
        topic->limit_until_ns = now_ns + KAFKA_LIMIT_LASTS_NS;
    topic->limit = bytes;
}

void kafka_topics_release(struct kafka_topics *topics)
{
    for (size_t i = 0; i < topics->count; i++)
        topics->library->topic_destroy(topics->all[i].handle);
    topics->count = 0;
    topics->last = 0;
}
