/*
 * Tests kafka: sinks with topics that are denied, missing or many, with the mock cluster of
 * librdkafka.
 */
#include <stdio.h>
#include <string.h>

#include "sinks/destinations/kafka_outcome.h"
#include "tests/support/platform/patience.h"
#include "tests/support/sinks/kafka_scene.h"
#include "tests/support/test.h"

TEST(a_topic_that_the_broker_refuses_is_denied)
{
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    rd_kafka_mock_push_request_errors(scene.cluster, KAFKA_PRODUCE_KEY, 1,
                                      RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
    kafka_scene_open(&scene);
    delivery_lines_fill(&lines, "t", 2);
    kafka_scene_send(&scene, &lines);
    assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_REFUSED);
    assert_int_equal(lines.records[0].reason, DELIVERY_DENIED);
    kafka_scene_end(&scene);
}

static void scene_begin_without_topic(struct kafka_scene *scene)
{
    static char at_once[] = "topic.metadata.propagation.max.ms=0\n";
    kafka_scene_begin(scene, "t");
    rd_kafka_mock_topic_create(scene->cluster, "t", 1, 1);
    rd_kafka_mock_topic_set_error(scene->cluster, "t", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
    scene->settings.broker.kafka = at_once;
}

TEST(messages_with_headers_that_the_library_refuses_at_once_leave_nothing_freed_twice)
{
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    scene_begin_without_topic(&scene);
    scene.settings.broker.headers = HEADER_SCHEMA | HEADER_LISTENER | HEADER_NUMBER;
    kafka_scene_open(&scene);
    /* The first block is reported. The others are refused at once. */
    for (int i = 0; i < 3; i++) {
        delivery_lines_fill(&lines, "t", DELIVERY_LINES);
        kafka_scene_send(&scene, &lines);
        assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
        assert_int_not_equal(lines.records[0].outcome, DELIVERY_ACKNOWLEDGED);
    }
    kafka_scene_end(&scene);
}

static void await_other_fate(struct kafka_scene *scene, struct delivery_lines *lines,
                             enum delivery_outcome fate)
{
    struct error error;
    int64_t until = patience_until();
    do {
        assert_true(patience(until));
        wakeup_wait(scene->wakeup, NO_HANDLE, false, 50);
        delivery_lines_fill(lines, "t", 3);
        kafka_scene_send(scene, lines);
        assert_ptr_equal(kafka_scene_await(scene, &error), &lines->block);
    } while (lines->records[0].outcome == fate);
}

TEST(while_its_topic_is_missing_a_block_is_not_sent_and_when_it_is_made_it_is)
{
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    scene_begin_without_topic(&scene);
    kafka_scene_open(&scene);
    for (int i = 0; i < 3; i++) {
        delivery_lines_fill(&lines, "t", 3);
        kafka_scene_send(&scene, &lines);
        assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
        delivery_lines_assert(&lines, DELIVERY_NOT_SENT);
        assert_non_null(strstr(error.text, "nknown topic"));
    }
    rd_kafka_mock_topic_set_error(scene.cluster, "t", RD_KAFKA_RESP_ERR_NO_ERROR);
    await_other_fate(&scene, &lines, DELIVERY_NOT_SENT);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    kafka_scene_end(&scene);
}

TEST(what_a_broker_says_of_a_topic_that_was_deleted_is_for_now)
{
    static const rd_kafka_resp_err_t errors[] = {RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART,
                                                 RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC,
                                                 RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION,
                                                 RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE,
                                                 RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
                                                 RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
                                                 RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR,
                                                 RD_KAFKA_RESP_ERR__MSG_TIMED_OUT,
                                                 RD_KAFKA_RESP_ERR__PURGE_QUEUE};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        assert_int_equal(
            kafka_outcome_reported(RD_KAFKA_MSG_STATUS_NOT_PERSISTED, errors[i]).result,
            DELIVERY_NOT_SENT);
}

TEST(a_name_that_no_topic_can_have_is_rejected)
{
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    char name[400];
    kafka_scene_begin(&scene, "t");
    kafka_scene_open(&scene);
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    delivery_lines_fill(&lines, name, 2);
    kafka_scene_send(&scene, &lines);
    assert_int_equal(scene.destination->delivery->due(scene.destination), 0);
    assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_REFUSED);
    assert_int_equal(lines.records[0].reason, DELIVERY_REJECTED);
    kafka_scene_end(&scene);
}

TEST(more_topics_than_there_may_be_at_a_time_are_served_one_after_the_other)
{
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    static const char *const names[] = {"a", "b", "c", "a", "c", "d", "b"};
    kafka_scene_begin(&scene, "t");
    kafka_scene_open(&scene);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        delivery_lines_fill(&lines, names[i], 1);
        kafka_scene_send(&scene, &lines);
        assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
        delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    }
    kafka_scene_end(&scene);
}
