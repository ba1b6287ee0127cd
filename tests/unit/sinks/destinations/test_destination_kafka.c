/* kafka: what becomes of a block that is handed over, against librdkafka's own mock cluster. */
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/contract/encoder.h"
#include "collector/platform/clock.h"
#include "collector/platform/wakeup.h"
#include "sinks/destinations/destinations.h"
#include "sinks/destinations/kafka_fate.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/sinks/delivery_lines.h"
#include "tests/support/test.h"

#define PRODUCE_KEY 0 /* Kafka's number of the request */

static const struct encoder_ops text_encoder = {.name = "json"};

/* --- names ------------------------------------------------------------------------------------ */

#define LOOKUP_MS 20000 /* the longest one, should nothing end it */

static struct {
    atomic_bool slow;       /* lookups wait */
    atomic_bool waits;      /* one does */
    struct wakeup *ended;   /* for it to end */
    struct wakeup *noticed; /* that it waits */
} lookup;

/* In the place of the system's, for the library. */
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

/* --- a cluster, and a destination that sends to it -------------------------------------------- */

struct scene {
    rd_kafka_t *host; /* of the cluster, and what reads it */
    rd_kafka_mock_cluster_t *cluster;
    struct wakeup *wakeup;
    struct destination *destination;
    char path[200];
    struct destination_options options;
};

static rd_kafka_t *make_host(void)
{
    char why[256];
    rd_kafka_t *host = rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), why, sizeof why);
    assert_non_null(host);
    return host;
}

static void scene_begin(struct scene *scene, const char *topic)
{
    *scene = (struct scene){.host = make_host()};
    scene->cluster = rd_kafka_mock_cluster_new(scene->host, 1);
    assert_non_null(scene->cluster);
    assert_int_equal(wakeup_create(&scene->wakeup, NULL), 0);
    snprintf(scene->path, sizeof scene->path, "//%s/%s",
             rd_kafka_mock_cluster_bootstraps(scene->cluster), topic);
    scene->options = (struct destination_options){
        .name = "kafka:test",
        .path = scene->path,
        .encoder = &text_encoder,
        .timeout_ns = UINT64_C(20000000000),
        .in_flight = 4,
        .wakeup = scene->wakeup,
        .broker = {.max_topics = 2},
    };
}

/* Properties for the library. */
static void write_properties(struct scene *scene, const char *text)
{
    scratch_put_text("properties", text);
    scene->options.broker.properties = (char *)(uintptr_t)scratch_path("properties");
}

static void open_it(struct scene *scene)
{
    struct error error = {0};
    if (destination_kafka.create(&scene->options, &scene->destination, &error) != 0)
        fail_msg("%s", error.text);
}

static void scene_end(struct scene *scene)
{
    scene->destination->destroy(scene->destination);
    rd_kafka_mock_cluster_destroy(scene->cluster);
    rd_kafka_destroy(scene->host);
    wakeup_destroy(scene->wakeup);
}

/* --- blocks ----------------------------------------------------------------------------------- */

static void send_it(struct scene *scene, struct delivery_lines *lines)
{
    delivery_lines_send(scene->destination, lines);
}

static struct delivery_block *await(struct scene *scene, struct error *error)
{
    return delivery_await(scene->destination, scene->wakeup, error);
}

/* --- reading what is there -------------------------------------------------------------------- */

struct reader {
    rd_kafka_t *consumer;
};

static struct reader read_topic(const struct scene *scene, const char *topic)
{
    char why[256];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", rd_kafka_mock_cluster_bootstraps(scene->cluster),
                      why, sizeof why);
    rd_kafka_conf_set(conf, "group.id", "test", why, sizeof why);
    rd_kafka_conf_set(conf, "auto.offset.reset", "earliest", why, sizeof why);
    struct reader reader = {rd_kafka_new(RD_KAFKA_CONSUMER, conf, why, sizeof why)};
    assert_non_null(reader.consumer);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic, 0)->offset = 0;
    assert_int_equal(rd_kafka_assign(reader.consumer, list), 0);
    rd_kafka_topic_partition_list_destroy(list);
    return reader;
}

static rd_kafka_message_t *next_message(const struct reader *reader)
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

static void assert_message(const struct reader *reader, const char *text)
{
    rd_kafka_message_t *message = next_message(reader);
    assert_int_equal(message->len, strlen(text));
    assert_memory_equal(message->payload, text, message->len);
    rd_kafka_message_destroy(message);
}

static void reader_end(struct reader *reader)
{
    rd_kafka_destroy(reader->consumer);
}

/* --- what it says of its connections ---------------------------------------------------------- */

static uint64_t figure(const struct scene *scene, enum delivery_figure which)
{
    return counter_read(&scene->destination->figures->values[which]);
}

static void await_figure(struct scene *scene, enum delivery_figure which, uint64_t least)
{
    for (int64_t until = patience_until(); figure(scene, which) < least;) {
        wakeup_wait(scene->wakeup, NO_HANDLE, false, 50);
        scene->destination->delivery->serve(scene->destination);
        assert_true(patience(until));
    }
}

static uint64_t times(const struct scene *scene)
{
    struct histogram_totals totals = {0};
    uint64_t count = 0;
    histogram_add_to(&scene->destination->figures->request_time, &totals);
    for (size_t i = 0; i <= HISTOGRAM_BOUNDS; i++)
        count += totals.ranges[i];
    return count;
}

/* --- tests ------------------------------------------------------------------------------------ */

TEST(each_record_is_a_message_without_its_newline)
{
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    open_it(&scene);
    delivery_lines_fill(&lines, "t", DELIVERY_LINES);
    send_it(&scene, &lines);
    assert_ptr_equal(await(&scene, &error), &lines.block);
    assert_true(lines.block.per_record);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    struct reader reader = read_topic(&scene, "t");
    for (size_t i = 0; i < DELIVERY_LINES; i++) {
        char expected[16];
        snprintf(expected, sizeof expected, "line %zu", i);
        assert_message(&reader, expected);
    }
    reader_end(&reader);
    scene_end(&scene);
}

TEST(per_block_a_message_has_all_lines)
{
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    scene.options.broker.per = MESSAGE_BLOCK;
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 3);
    send_it(&scene, &lines);
    assert_ptr_equal(await(&scene, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    struct reader reader = read_topic(&scene, "t");
    assert_message(&reader, "line 0\nline 1\nline 2\n");
    reader_end(&reader);
    scene_end(&scene);
}

TEST(records_that_were_decided_before_are_passed_over)
{
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 4);
    lines.records[0].fate = DELIVERY_REFUSED;
    lines.records[0].done = true;
    lines.records[2].done = true;
    send_it(&scene, &lines);
    assert_ptr_equal(await(&scene, &error), &lines.block);
    assert_int_equal(lines.records[0].fate, DELIVERY_REFUSED);
    assert_int_equal(lines.records[1].fate, DELIVERY_ACKNOWLEDGED);
    struct reader reader = read_topic(&scene, "t");
    assert_message(&reader, "line 1");
    assert_message(&reader, "line 3");
    reader_end(&reader);
    scene_end(&scene);
}

TEST(a_message_has_its_key_and_the_headers_that_were_asked_for)
{
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    scene.options.broker.headers = HEADER_SCHEMA | HEADER_LISTENER | HEADER_NUMBER;
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 2);
    lines.block.first_number = 41;
    memcpy(lines.keys, "xab", 3);
    lines.records[1].key = 1;
    lines.records[1].key_size = 2;
    send_it(&scene, &lines);
    assert_ptr_equal(await(&scene, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    struct reader reader = read_topic(&scene, "t");
    rd_kafka_message_t *message = next_message(&reader);
    assert_int_equal(message->key_len, 0);
    rd_kafka_message_destroy(message);
    message = next_message(&reader);
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
    reader_end(&reader);
    scene_end(&scene);
}

TEST(no_more_blocks_are_taken_than_the_library_can_have_on_their_way)
{
    struct scene scene;
    static struct delivery_lines lines[10];
    struct error error;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    rd_kafka_mock_broker_set_down(scene.cluster, 1);
    open_it(&scene);
    size_t sent = 0;
    for (; sent < 10; sent++) {
        delivery_lines_fill(&lines[sent], "t", 2);
        if (!scene.destination->delivery->send(scene.destination, &lines[sent].block, &error))
            break;
    }
    assert_int_equal(sent, 4);
    rd_kafka_mock_broker_set_up(scene.cluster, 1);
    for (size_t i = 0; i < sent; i++) /* in their order */
        assert_ptr_equal(await(&scene, &error), &lines[i].block);
    for (size_t i = 0; i < sent; i++)
        delivery_lines_assert(&lines[i], DELIVERY_ACKNOWLEDGED);
    scene_end(&scene);
}

/* A library's thread that looked again and again would take all of this time. */
static clock_t processor_time(struct scene *scene, int64_t ns)
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
    struct scene scene;
    static struct delivery_lines lines[4];
    struct error error;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    open_it(&scene);
    delivery_lines_fill(&lines[0], "t", 1); /* so that the connection stands */
    send_it(&scene, &lines[0]);
    await(&scene, &error);
    rd_kafka_mock_broker_set_rtt(scene.cluster, 1, 1500);
    for (size_t i = 0; i < 4; i++) {
        delivery_lines_fill(&lines[i], "t", DELIVERY_LINES);
        send_it(&scene, &lines[i]);
        processor_time(&scene, 50000000); /* the first is on its way */
    }
    assert_true(processor_time(&scene, 1000000000) < CLOCKS_PER_SEC / 2);
    for (size_t i = 0; i < 4; i++)
        assert_ptr_equal(await(&scene, &error), &lines[i].block);
    for (size_t i = 0; i < 4; i++)
        delivery_lines_assert(&lines[i], DELIVERY_ACKNOWLEDGED);
    scene_end(&scene);
}

TEST(what_waits_for_others_is_given_back_when_its_time_is_over)
{
    struct scene scene;
    struct delivery_lines first, second;
    struct error error;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    rd_kafka_mock_broker_set_down(scene.cluster, 1);
    scene.options.timeout_ns = UINT64_C(300000000);
    open_it(&scene);
    delivery_lines_fill(&first, "t", 2);
    delivery_lines_fill(&second, "t", 2);
    send_it(&scene, &first);
    send_it(&scene, &second);
    assert_ptr_equal(await(&scene, &error), &second.block); /* the library's clock is slower */
    delivery_lines_assert(&second, DELIVERY_NOT_SENT);
    assert_ptr_equal(await(&scene, &error), &first.block);
    delivery_lines_assert(&first, DELIVERY_NOT_SENT);
    scene_end(&scene);
}

TEST(what_was_never_sent_is_reported_so_when_it_is_abandoned)
{
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    int64_t retry_after;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    rd_kafka_mock_broker_set_down(scene.cluster, 1);
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 5);
    send_it(&scene, &lines);
    scene.destination->delivery->abandon(scene.destination);
    assert_ptr_equal(scene.destination->delivery->answer(scene.destination, &error, &retry_after),
                     &lines.block);
    delivery_lines_assert(&lines, DELIVERY_NOT_SENT);
    assert_null(scene.destination->delivery->answer(scene.destination, &error, &retry_after));
    scene_end(&scene);
}

TEST(what_was_sent_and_not_answered_is_unknown_when_it_is_abandoned)
{
    struct scene scene;
    struct delivery_lines lines, first;
    struct error error;
    int64_t retry_after;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    open_it(&scene);
    delivery_lines_fill(&first, "t", 1); /* so that the connection stands */
    send_it(&scene, &first);
    await(&scene, &error);
    rd_kafka_mock_broker_set_rtt(scene.cluster, 1, 60000);
    delivery_lines_fill(&lines, "t", 5);
    send_it(&scene, &lines);
    /* Nothing says that the request has gone out; a second is long. */
    int64_t until = clock_monotonic_ns() + 1000000000;
    while (clock_monotonic_ns() < until)
        wakeup_wait(scene.wakeup, NO_HANDLE, false, 50);
    scene.destination->delivery->abandon(scene.destination);
    assert_ptr_equal(scene.destination->delivery->answer(scene.destination, &error, &retry_after),
                     &lines.block);
    delivery_lines_assert(&lines, DELIVERY_UNKNOWN);
    scene_end(&scene);
}

/* The library's thread of the only broker looks up a name, and has a block. */
static void begin_lookup(struct scene *scene, struct delivery_lines *lines)
{
    static char no_address_is_kept[] = "broker.address.ttl=1\nreconnect.backoff.ms=1\n";
    struct delivery_lines first;
    struct error error;
    scene_begin(scene, "t");
    assert_int_equal(wakeup_create(&lookup.ended, NULL), 0);
    lookup.noticed = scene->wakeup;
    rd_kafka_mock_topic_create(scene->cluster, "t", 1, 1);
    scene->options.broker.kafka = no_address_is_kept;
    open_it(scene);
    delivery_lines_fill(&first, "t", 1); /* so that it knows the broker */
    send_it(scene, &first);
    await(scene, &error);
    atomic_store(&lookup.slow, true);
    rd_kafka_mock_broker_set_down(scene->cluster, 1);
    char *bytes = malloc(sizeof lines->bytes);
    assert_non_null(bytes);
    delivery_lines_fill(lines, "t", 5);
    memcpy(bytes, lines->bytes, sizeof lines->bytes);
    lines->block.bytes = (const uint8_t *)bytes;
    lines->block.keys = NULL;
    send_it(scene, lines);
    for (int64_t until = patience_until(); !atomic_load(&lookup.waits);) {
        wakeup_wait(scene->wakeup, NO_HANDLE, false, 50);
        scene->destination->delivery->serve(scene->destination);
        assert_true(patience(until));
    }
}

/* What the scene has is still used by the library's thread, which ends by itself. */
static void end_lookup(struct scene *scene)
{
    atomic_store(&lookup.slow, false);
    wakeup_signal(lookup.ended);
    rd_kafka_mock_cluster_destroy(scene->cluster);
    rd_kafka_destroy(scene->host);
}

TEST(a_stop_does_not_wait_for_a_lookup_and_leaves_the_block_to_the_library)
{
    struct scene scene;
    struct delivery_lines lines, next;
    struct error error;
    int64_t retry_after;
    begin_lookup(&scene, &lines);
    scene.destination->delivery->abandon(scene.destination);
    assert_true(atomic_load(&lookup.waits));
    assert_ptr_equal(scene.destination->delivery->answer(scene.destination, &error, &retry_after),
                     &lines.block);
    bool lent = lines.block.lent;
    /* Messages that the broker's thread has not taken yet are reported all the same. */
    size_t unknown = 0;
    for (size_t i = 0; i < lines.block.count; i++) {
        unknown += lines.records[i].fate == DELIVERY_UNKNOWN;
        assert_true(lines.records[i].fate == DELIVERY_UNKNOWN ||
                    lines.records[i].fate == DELIVERY_NOT_SENT);
    }
    assert_int_equal(lent, unknown != 0);
    /* The next block would have the tokens of the one that may still be reported. */
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

TEST(a_message_that_is_too_large_is_refused_and_those_beside_it_are_not)
{
    struct scene scene;
    static char large[2000000];
    struct delivery_lines lines;
    struct error error;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 3);
    memset(large, 'x', sizeof large);
    memcpy(large, lines.bytes, lines.block.size);
    lines.block.bytes = (const uint8_t *)large;
    lines.records[1].size = 1500000;
    send_it(&scene, &lines);
    assert_ptr_equal(await(&scene, &error), &lines.block);
    assert_int_equal(lines.records[0].fate, DELIVERY_ACKNOWLEDGED);
    assert_int_equal(lines.records[1].fate, DELIVERY_REFUSED);
    assert_int_equal(lines.records[1].reason, DELIVERY_TOO_LARGE);
    assert_int_equal(lines.records[2].fate, DELIVERY_ACKNOWLEDGED);
    assert_non_null(strstr(error.text, "too large"));
    scene_end(&scene);
}

/* The broker refuses so many requests to produce, each as larger than the topic takes. */
static void refuse_as_too_large(struct scene *scene, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rd_kafka_mock_push_request_errors(scene->cluster, PRODUCE_KEY, 1,
                                          RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
}

static void assert_lines(struct scene *scene, size_t count)
{
    struct reader reader = read_topic(scene, "t");
    for (size_t i = 0; i < count; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "line %zu", i);
        assert_message(&reader, expected);
    }
    reader_end(&reader);
}

TEST(messages_that_were_refused_as_a_request_that_is_too_large_are_sent_in_smaller_ones)
{
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    refuse_as_too_large(&scene, 3);
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 16);
    send_it(&scene, &lines);
    assert_ptr_equal(await(&scene, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    assert_lines(&scene, 16);
    scene_end(&scene);
}

TEST(a_message_that_is_refused_alone_is_too_large_also_where_it_was_sent_with_others_before)
{
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    refuse_as_too_large(&scene, 4); /* eight, four, two, one */
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 8);
    send_it(&scene, &lines);
    assert_ptr_equal(await(&scene, &error), &lines.block);
    assert_int_equal(lines.records[0].fate, DELIVERY_REFUSED);
    assert_int_equal(lines.records[0].reason, DELIVERY_TOO_LARGE);
    for (size_t i = 1; i < 8; i++)
        assert_int_equal(lines.records[i].fate, DELIVERY_ACKNOWLEDGED);
    scene_end(&scene);
}

/* Reads messages until they have all lines, each with the block's head. Returns how many. */
static size_t assert_parts(struct scene *scene, const struct delivery_lines *lines,
                           const char *head, size_t most)
{
    struct reader reader = read_topic(scene, "t");
    size_t count = 0, at = strlen(head);
    for (; at < lines->block.size; count++) {
        rd_kafka_message_t *message = next_message(&reader);
        assert_true(message->len <= most && message->len > strlen(head));
        assert_memory_equal(message->payload, head, strlen(head));
        size_t size = message->len - strlen(head);
        assert_true(at + size <= lines->block.size);
        assert_memory_equal((const char *)message->payload + strlen(head), lines->block.bytes + at,
                            size);
        at += size;
        rd_kafka_message_destroy(message);
    }
    reader_end(&reader);
    return count;
}

static void send_parts(unsigned headers, const char *head)
{
    static char limit[] = "message.max.bytes=4000\n";
    static char bytes[DELIVERY_LINES * 16 + 16];
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    scene.options.broker.per = MESSAGE_BLOCK;
    scene.options.broker.headers = headers;
    scene.options.broker.kafka = limit;
    open_it(&scene);
    delivery_lines_fill(&lines, "t", DELIVERY_LINES);
    size_t size = strlen(head);
    memcpy(bytes, head, size);
    memcpy(bytes + size, lines.bytes, lines.block.size);
    lines.block.bytes = (const uint8_t *)bytes;
    lines.block.size += size;
    for (size_t i = 0; i < DELIVERY_LINES; i++)
        lines.records[i].offset += (uint32_t)size;
    refuse_as_too_large(&scene, 1);
    send_it(&scene, &lines);
    assert_ptr_equal(await(&scene, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    size_t count = assert_parts(&scene, &lines, head, 4000);
    assert_true(count > 1 && count < 20);
    scene_end(&scene);
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
    struct scene scene;
    static char large[2000000];
    struct delivery_lines lines;
    struct error error;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    scene.options.broker.per = MESSAGE_BLOCK;
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 3);
    memset(large, 'x', sizeof large);
    memcpy(large, lines.bytes, lines.block.size);
    lines.block.bytes = (const uint8_t *)large;
    lines.records[1].size = 1500000;
    lines.records[2].offset = lines.records[1].offset + lines.records[1].size;
    lines.block.size = lines.records[2].offset + lines.records[2].size;
    send_it(&scene, &lines);
    assert_ptr_equal(await(&scene, &error), &lines.block);
    assert_int_equal(lines.records[0].fate, DELIVERY_ACKNOWLEDGED);
    assert_int_equal(lines.records[1].fate, DELIVERY_REFUSED);
    assert_int_equal(lines.records[1].reason, DELIVERY_TOO_LARGE);
    assert_int_equal(lines.records[2].fate, DELIVERY_ACKNOWLEDGED);
    scene_end(&scene);
}

TEST(a_topic_that_the_broker_refuses_is_denied)
{
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    rd_kafka_mock_push_request_errors(scene.cluster, PRODUCE_KEY, 1,
                                      RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 2);
    send_it(&scene, &lines);
    assert_ptr_equal(await(&scene, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_REFUSED);
    assert_int_equal(lines.records[0].reason, DELIVERY_DENIED);
    scene_end(&scene);
}

/* A topic that is missing, as soon as the library has asked for it. */
static void scene_begin_without_topic(struct scene *scene)
{
    static char at_once[] = "topic.metadata.propagation.max.ms=0\n";
    scene_begin(scene, "t");
    rd_kafka_mock_topic_create(scene->cluster, "t", 1, 1);
    rd_kafka_mock_topic_set_error(scene->cluster, "t", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
    scene->options.broker.kafka = at_once;
}

TEST(messages_with_headers_that_the_library_refuses_at_once_leave_nothing_freed_twice)
{
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    scene_begin_without_topic(&scene);
    scene.options.broker.headers = HEADER_SCHEMA | HEADER_LISTENER | HEADER_NUMBER;
    open_it(&scene);
    for (int i = 0; i < 3; i++) { /* the first is reported, the others are refused at once */
        delivery_lines_fill(&lines, "t", DELIVERY_LINES);
        send_it(&scene, &lines);
        assert_ptr_equal(await(&scene, &error), &lines.block);
        assert_int_not_equal(lines.records[0].fate, DELIVERY_ACKNOWLEDGED);
    }
    scene_end(&scene);
}

/* Sends a block again and again, as a sink does, until it has become something else. */
static void await_other_fate(struct scene *scene, struct delivery_lines *lines,
                             enum delivery_fate fate)
{
    struct error error;
    int64_t until = patience_until();
    do {
        assert_true(patience(until));
        wakeup_wait(scene->wakeup, NO_HANDLE, false, 50);
        delivery_lines_fill(lines, "t", 3);
        send_it(scene, lines);
        assert_ptr_equal(await(scene, &error), &lines->block);
    } while (lines->records[0].fate == fate);
}

TEST(while_its_topic_is_missing_a_block_is_not_sent_and_when_it_is_made_it_is)
{
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    scene_begin_without_topic(&scene);
    open_it(&scene);
    for (int i = 0; i < 3; i++) {
        delivery_lines_fill(&lines, "t", 3);
        send_it(&scene, &lines);
        assert_ptr_equal(await(&scene, &error), &lines.block);
        delivery_lines_assert(&lines, DELIVERY_NOT_SENT);
        assert_non_null(strstr(error.text, "nknown topic"));
    }
    rd_kafka_mock_topic_set_error(scene.cluster, "t", RD_KAFKA_RESP_ERR_NO_ERROR);
    await_other_fate(&scene, &lines, DELIVERY_NOT_SENT);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    scene_end(&scene);
}

TEST(what_a_broker_says_of_a_topic_that_was_deleted_is_for_now)
{
    static const rd_kafka_resp_err_t errors[] = {
        RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC,
        RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE,
        RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
        RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR, RD_KAFKA_RESP_ERR__MSG_TIMED_OUT,
        RD_KAFKA_RESP_ERR__PURGE_QUEUE};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        assert_int_equal(
            kafka_fate_reported(RD_KAFKA_MSG_STATUS_NOT_PERSISTED, errors[i]).fate,
            DELIVERY_NOT_SENT);
}

TEST(a_name_that_no_topic_can_have_is_rejected)
{
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    char name[400];
    scene_begin(&scene, "t");
    open_it(&scene);
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    delivery_lines_fill(&lines, name, 2);
    send_it(&scene, &lines);
    assert_int_equal(scene.destination->delivery->due(scene.destination), 0);
    assert_ptr_equal(await(&scene, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_REFUSED);
    assert_int_equal(lines.records[0].reason, DELIVERY_REJECTED);
    scene_end(&scene);
}

TEST(more_topics_than_there_may_be_at_a_time_are_served_one_after_the_other)
{
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    static const char *const names[] = {"a", "b", "c", "a", "c", "d", "b"};
    scene_begin(&scene, "t");
    open_it(&scene);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        delivery_lines_fill(&lines, names[i], 1);
        send_it(&scene, &lines);
        assert_ptr_equal(await(&scene, &error), &lines.block);
        delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    }
    scene_end(&scene);
}

TEST_WITH(after_a_fatal_error_another_producer_delivers, scratch_make, scratch_remove)
{
    (void)state;
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    /* A producer that guarantees no gaps ends with the first message that a broker refuses. */
    rd_kafka_mock_push_request_errors(scene.cluster, PRODUCE_KEY, 1,
                                      RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
    write_properties(&scene, "enable.gapless.guarantee=true\n");
    open_it(&scene);
    delivery_lines_fill(&lines, "t", 3);
    send_it(&scene, &lines);
    assert_ptr_equal(await(&scene, &error), &lines.block);
    for (size_t i = 0; i < 3; i++)
        assert_int_not_equal(lines.records[i].fate, DELIVERY_ACKNOWLEDGED);
    int64_t until = patience_until();
    delivery_lines_fill(&lines, "t", 3);
    while (!scene.destination->delivery->send(scene.destination, &lines.block, &error)) {
        assert_true(patience(until));
        scene.destination->delivery->serve(scene.destination);
    }
    assert_ptr_equal(await(&scene, &error), &lines.block);
    delivery_lines_assert(&lines, DELIVERY_ACKNOWLEDGED);
    assert_int_equal(figure(&scene, FIGURE_RESTARTS), 1);
    assert_int_equal(figure(&scene, FIGURE_MESSAGES), 0);
    scene_end(&scene);
}

TEST_WITH(it_says_how_its_brokers_answer, scratch_make, scratch_remove)
{
    (void)state;
    struct scene scene;
    struct delivery_lines lines;
    struct error error;
    scene_begin(&scene, "t");
    rd_kafka_mock_topic_create(scene.cluster, "t", 1, 1);
    write_properties(&scene, "statistics.interval.ms=100\n");
    open_it(&scene);
    rd_kafka_mock_broker_set_rtt(scene.cluster, 1, 300);
    delivery_lines_fill(&lines, "t", 7);
    send_it(&scene, &lines);
    assert_int_equal(figure(&scene, FIGURE_MESSAGES), 7);
    await_figure(&scene, FIGURE_REQUESTS_IN_FLIGHT, 1);
    await(&scene, &error);
    assert_int_equal(figure(&scene, FIGURE_MESSAGES), 0);
    assert_int_equal(times(&scene), 1);
    await_figure(&scene, FIGURE_ROUND_TRIP, 300000000);
    assert_true(figure(&scene, FIGURE_CONNECTIONS) >= 1);
    assert_true(figure(&scene, FIGURE_CONNECTS) >= 1);
    assert_true(figure(&scene, FIGURE_REQUESTS) >= 1);
    scene_end(&scene);
}

/* --- what is refused before anything is sent -------------------------------------------------- */

static void assert_refused(const struct scene *scene, const char *text)
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
    struct scene scene = {.options = {.path = "//127.0.0.1/t",
                                      .encoder = &text_encoder,
                                      .broker = {.max_topics = 1}}};
    write_properties(&scene, "# ours\nsasl.password=hidden\n\nlinger.ms = hidden\n");
    assert_refused(&scene, "properties:4: librdkafka does not take this value of linger.ms");
    write_properties(&scene, "nonsense=hidden");
    assert_refused(&scene, "properties:1: librdkafka knows no property nonsense");
    write_properties(&scene, "linger.ms=1\nacks=0\n");
    assert_refused(&scene, "properties:2: acks cannot be set here: it is always \"all\"");
    write_properties(&scene, "hidden\n");
    assert_refused(&scene, "properties:1: this line is no NAME=VALUE");
    write_properties(&scene, "=hidden\n");
    assert_refused(&scene, "properties:1: this line is no NAME=VALUE");
    scene.options.broker.properties = (char *)(uintptr_t)scratch_path("nowhere");
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
    struct scene scene = {.options = {.encoder = &text_encoder, .broker = {.max_topics = 1}}};
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
