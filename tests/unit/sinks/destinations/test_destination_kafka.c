/* Tests the outcomes of a kafka: sink's blocks with the mock cluster of librdkafka. */
#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/platform/clock.h"
#include "collector/platform/wakeup.h"
#include "sinks/destinations/destinations.h"
#include "tests/support/platform/patience.h"
#include "tests/support/sinks/kafka_scene.h"
#include "tests/support/test.h"

/* --- lookups of names ------------------------------------------------------------------------- */

#define LOOKUP_MS 20000 /* limit of a lookup that the test does not end */

static struct {
    atomic_bool slow; /* lookups wait */
    atomic_bool waits;
    struct wakeup *ended;   /* the test signals it to end the lookup */
    struct wakeup *noticed; /* the lookup signals it when it waits */
} lookup;

/* Replaces getaddrinfo of the C library, so that a lookup of librdkafka can be made slow. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **result)
{
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    if (atomic_load(&lookup.slow)) {
        atomic_store(&lookup.waits, true);
        wakeup_signal(lookup.noticed);
        wakeup_wait(lookup.ended, NO_HANDLE, false, LOOKUP_MS);
        atomic_store(&lookup.waits, false);
        return EAI_AGAIN;
    }
    return real(name, service, hints, result);
}

/* --- tests ------------------------------------------------------------------------------------ */

TEST(each_record_is_a_message_without_its_newline)
{
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    kafka_scene_open(&scene);
    delivery_lines_fill(&lines, "t", DELIVERY_LINES);
    kafka_scene_send(&scene, &lines);
    assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
    assert_true(lines.block.per_record);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    struct kafka_reader reader = kafka_scene_read(&scene, "t");
    for (size_t i = 0; i < DELIVERY_LINES; i++) {
        char expected[16];
        snprintf(expected, sizeof expected, "line %zu", i);
        kafka_reader_assert(&reader, expected);
    }
    kafka_reader_end(&reader);
    kafka_scene_end(&scene);
}

TEST(per_block_a_message_has_all_lines)
{
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    scene.settings.broker.per = MESSAGE_BLOCK;
    kafka_scene_open(&scene);
    delivery_lines_fill(&lines, "t", 3);
    kafka_scene_send(&scene, &lines);
    assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    struct kafka_reader reader = kafka_scene_read(&scene, "t");
    kafka_reader_assert(&reader, "line 0\nline 1\nline 2\n");
    kafka_reader_end(&reader);
    kafka_scene_end(&scene);
}

TEST(records_that_were_decided_before_are_passed_over)
{
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    kafka_scene_open(&scene);
    delivery_lines_fill(&lines, "t", 4);
    lines.records[0].outcome = DELIVERY_REFUSED;
    lines.records[0].done = true;
    lines.records[2].done = true;
    kafka_scene_send(&scene, &lines);
    assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
    assert_int_equal(lines.records[0].outcome, DELIVERY_REFUSED);
    assert_int_equal(lines.records[1].outcome, DELIVERY_ACKNOWLEDGED);
    struct kafka_reader reader = kafka_scene_read(&scene, "t");
    kafka_reader_assert(&reader, "line 1");
    kafka_reader_assert(&reader, "line 3");
    kafka_reader_end(&reader);
    kafka_scene_end(&scene);
}

TEST(a_message_has_its_key_and_the_headers_that_were_asked_for)
{
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    scene.settings.broker.headers = HEADER_SCHEMA | HEADER_LISTENER | HEADER_NUMBER;
    kafka_scene_open(&scene);
    delivery_lines_fill(&lines, "t", 2);
    lines.block.first_number = 41;
    memcpy(lines.keys, "xab", 3);
    lines.records[1].key = 1;
    lines.records[1].key_size = 2;
    kafka_scene_send(&scene, &lines);
    assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    struct kafka_reader reader = kafka_scene_read(&scene, "t");
    rd_kafka_message_t *message = kafka_reader_next(&reader);
    assert_int_equal(message->key_len, 0);
    rd_kafka_message_destroy(message);
    message = kafka_reader_next(&reader);
    assert_int_equal(message->key_len, 2);
    assert_memory_equal(message->key, "ab", 2);
    rd_kafka_headers_t *headers;
    const void *value;
    size_t size;
    assert_int_equal(rd_kafka_message_headers(message, &headers), 0);
    assert_int_equal(rd_kafka_header_cnt(headers), 3);
    assert_int_equal(rd_kafka_header_get_last(headers, "number", &value, &size), 0);
    assert_int_equal(size, 4);
    assert_memory_equal(value, "e-42", 4);
    assert_int_equal(rd_kafka_header_get_last(headers, "listener", &value, &size), 0);
    assert_memory_equal(value, "udp://127.0.0.1:1", size);
    rd_kafka_message_destroy(message);
    kafka_reader_end(&reader);
    kafka_scene_end(&scene);
}

static void assert_headers(unsigned which, const char *one, const char *other)
{
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    rd_kafka_headers_t *headers;
    const void *value;
    size_t size;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    scene.settings.broker.headers = which;
    kafka_scene_open(&scene);
    delivery_lines_fill(&lines, "t", 1);
    kafka_scene_send(&scene, &lines);
    assert_ptr_equal(kafka_scene_await(&scene, &error), &lines.block);
    struct kafka_reader reader = kafka_scene_read(&scene, "t");
    rd_kafka_message_t *message = kafka_reader_next(&reader);
    assert_int_equal(rd_kafka_message_headers(message, &headers), 0);
    assert_int_equal(rd_kafka_header_cnt(headers), 2);
    assert_int_equal(rd_kafka_header_get_last(headers, one, &value, &size), 0);
    assert_int_equal(rd_kafka_header_get_last(headers, other, &value, &size), 0);
    rd_kafka_message_destroy(message);
    kafka_reader_end(&reader);
    kafka_scene_end(&scene);
}

TEST(a_message_has_no_header_that_was_not_asked_for)
{
    assert_headers(HEADER_SCHEMA | HEADER_COLLECTOR, "schema", "collector");
    assert_headers(HEADER_LISTENER | HEADER_NUMBER, "listener", "number");
}

/* --- probes ----------------------------------------------------------------------------------- */

static void assert_reached(struct kafka_scene *scene, rd_kafka_mock_cluster_t *cluster,
                           const char *topic, const char *text)
{
    struct error said = {.code = EXIT_CODE_INTERNAL};
    snprintf(scene->path, sizeof scene->path, "//%s/%s", rd_kafka_mock_cluster_bootstraps(cluster),
             topic);
    destination_kafka.probe(&scene->options, INT64_C(20000000000), &said);
    if (said.code != EXIT_CODE_OK)
        fail_msg("%s", said.text);
    assert_int_equal(strncmp(said.text, text, strlen(text)), 0);
}

TEST(a_probe_says_how_many_brokers_and_partitions_there_are)
{
    struct kafka_scene scene;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_cluster_t *three = rd_kafka_mock_cluster_new(scene.host, 3);
    rd_kafka_mock_topic_create(scene.cluster, "t", 2, 1);
    rd_kafka_mock_topic_create(three, "t", 1, 1);
    assert_reached(&scene, scene.cluster, "t", "reached 1 broker; the topic has 2 partitions");
    assert_reached(&scene, three, "t", "reached 3 brokers; the topic has 1 partition");
    assert_reached(&scene, scene.cluster, "%{schema}", "reached 1 broker; the topics");
    assert_reached(&scene, three, "%{schema}", "reached 3 brokers; the topics");
    rd_kafka_mock_cluster_destroy(three);
    rd_kafka_mock_cluster_destroy(scene.cluster);
    rd_kafka_destroy(scene.host);
    wakeup_destroy(scene.wakeup);
}

/* --- blocks that wait ------------------------------------------------------------------------- */

TEST(no_more_blocks_are_taken_than_the_library_can_have_on_their_way)
{
    struct kafka_scene scene;
    static struct delivery_lines lines[10];
    struct error error;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    rd_kafka_mock_broker_set_down(scene.cluster, 1);
    kafka_scene_open(&scene);
    size_t sent = 0;
    for (; sent < 10; sent++) {
        delivery_lines_fill(&lines[sent], "t", 2);
        if (!scene.destination->delivery->send(scene.destination, &lines[sent].block, &error))
            break;
    }
    assert_int_equal(sent, 4);
    rd_kafka_mock_broker_set_up(scene.cluster, 1);
    for (size_t i = 0; i < sent; i++) /* in the order in which they were sent */
        assert_ptr_equal(kafka_scene_await(&scene, &error), &lines[i].block);
    for (size_t i = 0; i < sent; i++)
        delivery_lines_assert(&lines[i], DELIVERY_ACKNOWLEDGED);
    kafka_scene_end(&scene);
}

/*
 * Serves the destination for this time, and returns the processor time that the process used. A
 * thread of librdkafka that polled without pause would use all of the time.
 */
static clock_t processor_time(struct kafka_scene *scene, int64_t ns)
{
    int64_t until = clock_monotonic_ns() + ns;
    clock_t before = clock();
    while (clock_monotonic_ns() < until) {
        wakeup_wait(scene->wakeup, NO_HANDLE, false, 50);
        scene->destination->delivery->serve(scene->destination);
    }
    return clock() - before;
}

TEST(while_a_broker_is_slow_more_blocks_wait_and_no_processor_time_is_spent)
{
    struct kafka_scene scene;
    static struct delivery_lines lines[4];
    struct error error;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    kafka_scene_open(&scene);
    delivery_lines_fill(&lines[0], "t", 1); /* makes librdkafka connect */
    kafka_scene_send(&scene, &lines[0]);
    kafka_scene_await(&scene, &error);
    rd_kafka_mock_broker_set_rtt(scene.cluster, 1, 1500);
    for (size_t i = 0; i < 4; i++) {
        delivery_lines_fill(&lines[i], "t", DELIVERY_LINES);
        kafka_scene_send(&scene, &lines[i]);
        processor_time(&scene, 50000000); /* until the first block is in flight */
    }
    assert_true(processor_time(&scene, 1000000000) < CLOCKS_PER_SEC / 2);
    for (size_t i = 0; i < 4; i++)
        assert_ptr_equal(kafka_scene_await(&scene, &error), &lines[i].block);
    for (size_t i = 0; i < 4; i++)
        delivery_lines_assert(&lines[i], DELIVERY_ACKNOWLEDGED);
    kafka_scene_end(&scene);
}

TEST(what_waits_for_others_is_given_back_when_its_time_is_over)
{
    struct kafka_scene scene;
    struct delivery_lines first, second;
    struct error error;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    rd_kafka_mock_broker_set_down(scene.cluster, 1);
    scene.settings.delivery.timeout = UINT64_C(300000000);
    kafka_scene_open(&scene);
    delivery_lines_fill(&first, "t", 2);
    delivery_lines_fill(&second, "t", 2);
    kafka_scene_send(&scene, &first);
    kafka_scene_send(&scene, &second);
    /* The timers of librdkafka are not exact, so the second block may be reported first. */
    assert_ptr_equal(kafka_scene_await(&scene, &error), &second.block);
    delivery_lines_assert(&second, DELIVERY_NOT_SENT);
    assert_ptr_equal(kafka_scene_await(&scene, &error), &first.block);
    delivery_lines_assert(&first, DELIVERY_NOT_SENT);
    kafka_scene_end(&scene);
}

TEST(what_was_never_sent_is_reported_so_when_it_is_abandoned)
{
    struct kafka_scene scene;
    struct delivery_lines lines;
    struct error error;
    int64_t retry_after;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    rd_kafka_mock_broker_set_down(scene.cluster, 1);
    kafka_scene_open(&scene);
    delivery_lines_fill(&lines, "t", 5);
    kafka_scene_send(&scene, &lines);
    scene.destination->delivery->abandon(scene.destination);
    assert_ptr_equal(scene.destination->delivery->answer(scene.destination, &error, &retry_after),
                     &lines.block);
    delivery_lines_assert(&lines, DELIVERY_NOT_SENT);
    assert_null(scene.destination->delivery->answer(scene.destination, &error, &retry_after));
    kafka_scene_end(&scene);
}

TEST(what_was_sent_and_not_answered_is_unknown_when_it_is_abandoned)
{
    struct kafka_scene scene;
    struct delivery_lines lines, first;
    struct error error;
    int64_t retry_after;
    kafka_scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    kafka_scene_open(&scene);
    delivery_lines_fill(&first, "t", 1); /* makes librdkafka connect */
    kafka_scene_send(&scene, &first);
    kafka_scene_await(&scene, &error);
    rd_kafka_mock_broker_set_rtt(scene.cluster, 1, 60000);
    delivery_lines_fill(&lines, "t", 5);
    kafka_scene_send(&scene, &lines);
    /* The test cannot see when the request is sent, but it is sent within a second. */
    int64_t until = clock_monotonic_ns() + 1000000000;
    while (clock_monotonic_ns() < until)
        wakeup_wait(scene.wakeup, NO_HANDLE, false, 50);
    scene.destination->delivery->abandon(scene.destination);
    assert_ptr_equal(scene.destination->delivery->answer(scene.destination, &error, &retry_after),
                     &lines.block);
    delivery_lines_assert(&lines, DELIVERY_UNKNOWN);
    kafka_scene_end(&scene);
}

/*
 * Makes librdkafka's thread for the broker look up a name while it has a block. The lookup does not
 * end.
 */
static void begin_lookup(struct kafka_scene *scene, struct delivery_lines *lines)
{
    static char no_address_is_kept[] = "broker.address.ttl=1\nreconnect.backoff.ms=1\n";
    struct delivery_lines first;
    struct error error;
    kafka_scene_begin(scene, "t");
    assert_int_equal(wakeup_create(&lookup.ended, NULL), 0);
    lookup.noticed = scene->wakeup;
    rd_kafka_mock_topic_create(scene->cluster, "t", 1, 1);
    scene->settings.broker.kafka = no_address_is_kept;
    kafka_scene_open(scene);
    delivery_lines_fill(&first, "t", 1); /* makes librdkafka know the broker */
    kafka_scene_send(scene, &first);
    kafka_scene_await(scene, &error);
    atomic_store(&lookup.slow, true);
    rd_kafka_mock_broker_set_down(scene->cluster, 1);
    char *bytes = malloc(sizeof lines->bytes);
    assert_non_null(bytes);
    delivery_lines_fill(lines, "t", 5);
    memcpy(bytes, lines->bytes, sizeof lines->bytes);
    lines->block.bytes = (const uint8_t *)bytes;
    lines->block.keys = NULL;
    kafka_scene_send(scene, lines);
    for (int64_t until = patience_until(); !atomic_load(&lookup.waits);) {
        wakeup_wait(scene->wakeup, NO_HANDLE, false, 50);
        scene->destination->delivery->serve(scene->destination);
        assert_true(patience(until));
    }
}

/* Ends the lookup. The thread of librdkafka ends later, and uses the scene until then. */
static void end_lookup(struct kafka_scene *scene)
{
    atomic_store(&lookup.slow, false);
    wakeup_signal(lookup.ended);
    rd_kafka_mock_cluster_destroy(scene->cluster);
    rd_kafka_destroy(scene->host);
    /* The producer that did not end in time ends now, and librdkafka frees its memory. */
    assert_int_equal(rd_kafka_wait_destroyed((int)(PATIENCE_NS / 1000000)), 0);
}

TEST(a_stop_does_not_wait_for_a_lookup_and_leaves_the_block_to_the_library)
{
    struct kafka_scene scene;
    struct delivery_lines lines, next;
    struct error error;
    int64_t retry_after;
    begin_lookup(&scene, &lines);
    scene.destination->delivery->abandon(scene.destination);
    assert_true(atomic_load(&lookup.waits));
    assert_ptr_equal(scene.destination->delivery->answer(scene.destination, &error, &retry_after),
                     &lines.block);
    bool lent = lines.block.lent;
    /* The messages that the broker's thread had not taken yet are reported too. */
    size_t unknown = 0;
    for (size_t i = 0; i < lines.block.count; i++) {
        unknown += lines.records[i].outcome == DELIVERY_UNKNOWN;
        assert_true(lines.records[i].outcome == DELIVERY_UNKNOWN ||
                    lines.records[i].outcome == DELIVERY_NOT_SENT);
    }
    assert_int_equal(lent, unknown != 0);
    /* No other block is accepted while this one is lent, because it would have the same tokens. */
    delivery_lines_fill(&next, "t", 1);
    assert_true(!lent ||
                !scene.destination->delivery->send(scene.destination, &next.block, &error));
    scene.destination->destroy(scene.destination);
    assert_true(atomic_load(&lookup.waits));
    assert_memory_equal(lines.block.bytes, "line 0\nline 1\n", 14);
    if (!lent)
        free((void *)(uintptr_t)lines.block.bytes);
    end_lookup(&scene);
}
