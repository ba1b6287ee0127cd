/* Tests limits of Kafka topics that were learned, and how long they are remembered. */
#include "sinks/destinations/kafka_topics.h"
#include "tests/support/test.h"

static char handle;

static rd_kafka_topic_t *make(rd_kafka_t *producer, const char *name, rd_kafka_topic_conf_t *conf)
{
    (void)producer, (void)name, (void)conf;
    return (rd_kafka_topic_t *)&handle;
}

static void destroy(rd_kafka_topic_t *topic)
{
    assert_ptr_equal(topic, &handle);
}

static const struct kafka_library library = {.topic_new = make, .topic_destroy = destroy};

TEST(a_limit_is_forgotten_some_time_after_it_was_learnt_and_learnt_again)
{
    struct kafka_topics *topics = kafka_topics_create(&library, 2);
    assert_non_null(topics);
    assert_non_null(kafka_topics_find(topics, NULL, "a"));
    assert_non_null(kafka_topics_find(topics, NULL, "b"));
    assert_true(kafka_topics_limit(topics, "a", 5) == SIZE_MAX);
    kafka_topics_lower(topics, "a", 1000, 10);
    kafka_topics_lower(topics, "a", 500, 20);
    /* The report is about a request that was sent earlier, so it has no effect. */
    kafka_topics_lower(topics, "a", 700, 30);
    assert_int_equal(kafka_topics_limit(topics, "a", KAFKA_LIMIT_LASTS_NS + 9), 500);
    assert_true(kafka_topics_limit(topics, "b", 40) == SIZE_MAX);
    assert_true(kafka_topics_limit(topics, "a", KAFKA_LIMIT_LASTS_NS + 10) == SIZE_MAX);
    kafka_topics_lower(topics, "a", 900, KAFKA_LIMIT_LASTS_NS + 11);
    assert_int_equal(kafka_topics_limit(topics, "a", 2 * KAFKA_LIMIT_LASTS_NS + 10), 900);
    assert_true(kafka_topics_limit(topics, "a", 2 * KAFKA_LIMIT_LASTS_NS + 11) == SIZE_MAX);
    kafka_topics_release(topics);
    kafka_topics_destroy(topics);
}
