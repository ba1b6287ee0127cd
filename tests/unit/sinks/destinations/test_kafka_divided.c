/*
 * Tests kafka: sinks whose messages and requests are too large for the broker, with the mock
 * cluster of librdkafka.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/platform/patience.h"
#include "tests/support/sinks/kafka_scene.h"
#include "tests/support/test.h"

TEST(a_message_that_is_too_large_is_refused_and_those_beside_it_are_not)
{
    struct kafka_scene scene;
    static char large[2000000];
    struct delivery_lines lines;
    struct error error;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    kafka_scene_open(&scene);
    delivery_lines_fill(&lines, "t", 3);
    memset(large, 'x', sizeof large);
    memcpy(large, lines.bytes, lines.block.size);
    lines.block.bytes = (const uint8_t *)large;
    lines.records[1].size = 1500000;
    kafka_scene_send(&scene, &lines);
    assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
    assert_int_equal(lines.records[0].outcome, DELIVERY_ACKNOWLEDGED);
    assert_int_equal(lines.records[1].outcome, DELIVERY_REFUSED);
    assert_int_equal(lines.records[1].reason, DELIVERY_TOO_LARGE);
    assert_int_equal(lines.records[2].outcome, DELIVERY_ACKNOWLEDGED);
    assert_non_null(strstr(error.text, "too large"));
    kafka_scene_end(&scene);
}

static void refuse_as_too_large(struct kafka_scene *scene, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rd_kafka_mock_push_request_errors(scene->cluster, KAFKA_PRODUCE_KEY, 1,
                                          RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
}

static void assert_lines(struct kafka_scene *scene, size_t count)
{
    struct kafka_reader reader = kafka_scene_read(scene, "t");
    for (size_t i = 0; i < count; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "line %zu", i);
        kafka_reader_assert(&reader, expected);
    }
    kafka_reader_end(&reader);
}

TEST(messages_that_were_refused_as_a_request_that_is_too_large_are_sent_in_smaller_ones)
{
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    refuse_as_too_large(&scene, 3);
    kafka_scene_open(&scene);
    delivery_lines_fill(&lines, "t", 16);
    kafka_scene_send(&scene, &lines);
    assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    assert_lines(&scene, 16);
    kafka_scene_end(&scene);
}

TEST(a_message_that_is_refused_alone_is_too_large_also_where_it_was_sent_with_others_before)
{
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    refuse_as_too_large(&scene, 4); /* messages of eight, four, two and one record */
    kafka_scene_open(&scene);
    delivery_lines_fill(&lines, "t", 8);
    kafka_scene_send(&scene, &lines);
    assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
    assert_int_equal(lines.records[0].outcome, DELIVERY_REFUSED);
    assert_int_equal(lines.records[0].reason, DELIVERY_TOO_LARGE);
    for (size_t i = 1; i < 8; i++)
        assert_int_equal(lines.records[i].outcome, DELIVERY_ACKNOWLEDGED);
    kafka_scene_end(&scene);
}

static size_t assert_parts(struct kafka_scene *scene, const struct delivery_lines *lines,
                           const char *head, size_t most)
{
    struct kafka_reader reader = kafka_scene_read(scene, "t");
    size_t count = 0, at = strlen(head);
    for (; at < lines->block.size; count++) {
        rd_kafka_message_t *message = kafka_reader_next(&reader);
        assert_true(message->len <= most && message->len > strlen(head));
        assert_memory_equal(message->payload, head, strlen(head));
        size_t size = message->len - strlen(head);
        assert_true(at + size <= lines->block.size);
        assert_memory_equal((const char *)message->payload + strlen(head), lines->block.bytes + at,
                            size);
        at += size;
        rd_kafka_message_destroy(message);
    }
    kafka_reader_end(&reader);
    return count;
}

static void send_parts(unsigned headers, const char *head)
{
    static char limit[] = "message.max.bytes=4000\n";
    static char bytes[DELIVERY_LINES * 16 + 16];
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    scene.settings.broker.per = MESSAGE_BLOCK;
    scene.settings.broker.headers = headers;
    scene.settings.broker.kafka = limit;
    kafka_scene_open(&scene);
    delivery_lines_fill(&lines, "t", DELIVERY_LINES);
    size_t size = strlen(head);
    memcpy(bytes, head, size);
    memcpy(bytes + size, lines.bytes, lines.block.size);
    lines.block.bytes = (const uint8_t *)bytes;
    lines.block.size += size;
    for (size_t i = 0; i < DELIVERY_LINES; i++)
        lines.records[i].offset += (uint32_t)size;
    refuse_as_too_large(&scene, 1);
    kafka_scene_send(&scene, &lines);
    assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    size_t count = assert_parts(&scene, &lines, head, 4000);
    assert_true(count > 1 && count < 20);
    kafka_scene_end(&scene);
}

TEST(a_block_that_is_larger_than_a_message_may_be_is_several)
{
    send_parts(0, "");
    send_parts(HEADER_NUMBER, "");
}

TEST(each_part_of_a_block_begins_with_what_the_block_begins_with)
{
    send_parts(0, "a,b,c\n");
    send_parts(HEADER_NUMBER, "a,b,c\n");
}

TEST(of_a_block_as_a_message_only_the_record_that_is_too_large_fails)
{
    struct kafka_scene scene;
    static char large[2000000];
    struct delivery_lines lines;
    struct error error;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    scene.settings.broker.per = MESSAGE_BLOCK;
    kafka_scene_open(&scene);
    delivery_lines_fill(&lines, "t", 3);
    memset(large, 'x', sizeof large);
    memcpy(large, lines.bytes, lines.block.size);
    lines.block.bytes = (const uint8_t *)large;
    lines.records[1].size = 1500000;
    lines.records[2].offset = lines.records[1].offset + lines.records[1].size;
    lines.block.size = lines.records[2].offset + lines.records[2].size;
    kafka_scene_send(&scene, &lines);
    assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
    assert_int_equal(lines.records[0].outcome, DELIVERY_ACKNOWLEDGED);
    assert_int_equal(lines.records[1].outcome, DELIVERY_REFUSED);
    assert_int_equal(lines.records[1].reason, DELIVERY_TOO_LARGE);
    assert_int_equal(lines.records[2].outcome, DELIVERY_ACKNOWLEDGED);
    kafka_scene_end(&scene);
}
