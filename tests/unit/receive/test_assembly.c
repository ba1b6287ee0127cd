/*
 * Tests that messages are assembled from segments in any order, with duplicates, losses, and limits
 * of time and memory. Each datagram has exactly one outcome.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/receive/assembly.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

#define HEADER  16
#define TIMEOUT 1000
#define MEMORY  ASSEMBLY_LEAST
#define LONGEST ((size_t)60 * 1024)

static struct assembly *assembly;
static int64_t now;

static size_t given_up[REASON_COUNT];
static size_t given_up_bytes;
static uint8_t last_given_up[64];

static void give_up(void *context, const struct datagram_slot *datagram,
                    const struct refusal *refusal)
{
    assert_ptr_equal(context, &now);
    given_up[refusal->reason]++;
    given_up_bytes += datagram->size;
    size_t front = datagram_front_size(datagram);
    memcpy(last_given_up, datagram->front, front < 64 ? front : 64);
    for (size_t i = HEADER; i < datagram->size; i++) {
        uint8_t byte = i < front ? datagram->front[i] : datagram->rest[i - front];
        assert_int_equal(byte, (uint8_t)(datagram->front[8] + i));
    }
}

static int set_up(void **state)
{
    (void)state;
    struct error error;
    const struct assembly_options options = {.memory = MEMORY,
                                             .longest = LONGEST,
                                             .timeout_ns = TIMEOUT,
                                             .give_up = give_up,
                                             .context = &now};
    memset(given_up, 0, sizeof given_up);
    given_up_bytes = 0;
    now = 5000;
    return assembly_create(&assembly, &options, &error);
}

static int tear_down(void **state)
{
    (void)state;
    assembly_finish(assembly);
    assert_int_equal(assembly_buffered(assembly), 0);
    assembly_destroy(assembly);
    return 0;
}

static size_t all_given_up(void)
{
    size_t all = 0;
    for (int i = 0; i < REASON_COUNT; i++)
        all += given_up[i];
    return all;
}

struct piece {
    uint32_t message;
    uint16_t number;
    bool last;
    size_t size; /* bytes of the segment's body */
};

/*
 * Takes a segment whose bytes depend on its identity. The two parts of the datagram are in blocks
 * of their exact sizes, so that sanitizers detect a read past them.
 */
static enum assembly_result take(struct piece piece, struct refusal *refusal)
{
    size_t size = HEADER + piece.size;
    size_t front_size = size < DATAGRAM_FRONT_SIZE ? size : DATAGRAM_FRONT_SIZE;
    uint8_t *front = malloc(front_size);
    uint8_t *rest = malloc(size - front_size + 1);
    assert_non_null(front);
    assert_non_null(rest);
    memset(front, 0, HEADER);
    front[8] = (uint8_t)(piece.message * 7 + piece.number * 3);
    for (size_t i = HEADER; i < size; i++)
        *(i < front_size ? front + i : rest + (i - front_size)) = (uint8_t)(front[8] + i);
    const struct datagram_slot datagram = {.front = front,
                                           .rest = size > front_size ? rest : NULL,
                                           .size = (uint32_t)size,
                                           .sent_size = (uint32_t)size,
                                           .source = {.family = ADDRESS_IPV4},
                                           .received_ns = now};
    const struct udp_notif header = {.message = piece.message,
                                     .body = HEADER,
                                     .is_segment = true,
                                     .is_last = piece.last,
                                     .number = piece.number};
    enum assembly_result result = assembly_take(assembly, &datagram, &header, refusal);
    free(front);
    free(rest);
    return result;
}

static void held(uint32_t message, uint16_t number, bool last, size_t size)
{
    struct refusal refusal;
    assert_int_equal(take((struct piece){message, number, last, size}, &refusal),
                     ASSEMBLY_BUFFERED);
}

static void refused(uint32_t message, uint16_t number, bool last, size_t size,
                    enum datagram_reason reason)
{
    struct refusal refusal;
    assert_int_equal(take((struct piece){message, number, last, size}, &refusal), ASSEMBLY_REFUSED);
    assert_int_equal(refusal.reason, reason);
}

static void whole(uint32_t message, uint16_t number, bool last, const size_t *sizes, size_t count)
{
    struct refusal refusal;
    assert_int_equal(take((struct piece){message, number, last, sizes[number]}, &refusal),
                     ASSEMBLY_WHOLE);
    struct assembled got = assembly_message(assembly);
    assert_int_equal(got.segments, count);
    size_t at = 0;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < sizes[k]; i++)
            assert_int_equal(got.data[at++], (uint8_t)(message * 7 + k * 3 + HEADER + i));
    assert_int_equal(got.size, at);
}

TEST_WITH(segments_in_order_are_a_message, set_up, tear_down)
{
    static const size_t sizes[] = {1400, 1400, 3};
    (void)state;
    held(1, 0, false, 1400);
    held(1, 1, false, 1400);
    assert_int_equal(assembly_buffered(assembly), 2);
    whole(1, 2, true, sizes, 3);
    assembly_end(assembly, NULL);
    assert_int_equal(assembly_buffered(assembly), 0);
    assert_int_equal(all_given_up(), 0);
}

TEST_WITH(they_may_come_in_any_order_and_have_any_size, set_up, tear_down)
{
    static const size_t sizes[] = {0, 30000, 1, 2047, 1900};
    (void)state;
    held(1, 4, true, 1900);
    held(1, 1, false, 30000);
    held(1, 3, false, 2047);
    held(1, 0, false, 0);
    whole(1, 2, false, sizes, 5);
    assembly_end(assembly, NULL);
}

TEST_WITH(a_duplicate_segment_is_reported_as_repeated, set_up, tear_down)
{
    static const size_t sizes[] = {10, 20};
    (void)state;
    held(1, 0, false, 10);
    refused(1, 0, false, 10, REASON_SEGMENT_REPEATED);
    whole(1, 1, true, sizes, 2);
    assembly_end(assembly, NULL);
    refused(1, 0, false, 10, REASON_SEGMENT_REPEATED);
    refused(1, 1, true, 20, REASON_SEGMENT_REPEATED);
    now += TIMEOUT; /* after this time the message is forgotten */
    held(1, 0, false, 10);
    assert_int_equal(all_given_up(), 0);
}

TEST_WITH(an_incomplete_message_is_given_up_datagram_by_datagram, set_up, tear_down)
{
    (void)state;
    held(1, 0, false, 10);
    held(1, 2, true, 5000);
    now += TIMEOUT - 1;
    held(2, 0, false, 10);
    assert_int_equal(all_given_up(), 0);
    now += 1;
    held(2, 1, false, 10);
    assert_int_equal(given_up[REASON_SEGMENTS_MISSING], 2);
    assert_int_equal(given_up_bytes, 2 * HEADER + 5010);
    assert_int_equal(assembly_buffered(assembly), 2);
    refused(1, 1, false, 10, REASON_SEGMENTS_MISSING); /* its message was already given up */
}

TEST_WITH(expiry_by_the_caller_gives_up_late_messages, set_up, tear_down)
{
    (void)state;
    assert_true(assembly_expire(assembly, now) == INT64_MAX);
    held(1, 0, false, 10);
    assert_int_equal(assembly_expire(assembly, now), 5000 + TIMEOUT);
    now += 10;
    held(2, 0, false, 10);
    assert_int_equal(assembly_expire(assembly, 5000 + TIMEOUT), 5010 + TIMEOUT);
    assert_int_equal(given_up[REASON_SEGMENTS_MISSING], 1);
    assert_true(assembly_expire(assembly, 5010 + TIMEOUT) == INT64_MAX);
    assert_int_equal(given_up[REASON_SEGMENTS_MISSING], 2);
}

TEST_WITH(a_clock_set_back_restarts_the_timeout, set_up, tear_down)
{
    (void)state;
    held(1, 0, false, 10);
    assert_int_equal(assembly_expire(assembly, 100), 100 + TIMEOUT);
    assert_true(assembly_expire(assembly, 100 + TIMEOUT) == INT64_MAX);
    assert_int_equal(given_up[REASON_SEGMENTS_MISSING], 1);
}

/* The difference between such times would overflow a signed number. A capture may have them. */
TEST_WITH(times_as_far_apart_as_can_be_end_the_timeout, set_up, tear_down)
{
    (void)state;
    now = INT64_MIN;
    held(1, 0, false, 10);
    assert_true(assembly_expire(assembly, INT64_MAX) == INT64_MAX);
    assert_int_equal(given_up[REASON_SEGMENTS_MISSING], 1);
    now = INT64_MAX;
    held(2, 0, false, 10);
    assert_true(assembly_expire(assembly, INT64_MAX) == INT64_MAX);
    assert_int_equal(given_up[REASON_SEGMENTS_MISSING], 1);
}

TEST_WITH(segments_that_contradict_each_other_are_malformed, set_up, tear_down)
{
    (void)state;
    held(1, 0, false, 10);
    held(1, 2, true, 10);
    refused(1, 3, false, 10, REASON_MALFORMED);
    assert_int_equal(given_up[REASON_MALFORMED], 2);
    refused(1, 1, false, 10, REASON_MALFORMED);
    held(2, 5, false, 10);
    refused(2, 4, true, 10, REASON_MALFORMED);
    held(3, 1, true, 10);
    refused(3, 7, true, 10, REASON_MALFORMED);
    assert_int_equal(given_up[REASON_MALFORMED], 4);
}

TEST_WITH(a_message_that_is_too_long_is_given_up_at_once, set_up, tear_down)
{
    (void)state;
    held(1, 0, false, 30000);
    held(1, 1, false, LONGEST - 30000);
    refused(1, 2, false, 1, REASON_TOO_LARGE);
    assert_int_equal(given_up[REASON_TOO_LARGE], 2);
    refused(1, 3, true, 0, REASON_TOO_LARGE);
    held(2, ASSEMBLY_SEGMENTS - 1, false, 1);
    refused(2, ASSEMBLY_SEGMENTS, true, 1, REASON_TOO_LARGE);
}

TEST_WITH(the_oldest_message_makes_room, set_up, tear_down)
{
    (void)state;
    size_t taken = 0;
    while (given_up[REASON_ASSEMBLY_FULL] == 0)
        held((uint32_t)++taken, 0, false, 1400);
    assert_in_range(taken, MEMORY / 2 / 2048, MEMORY / 2048);
    assert_int_equal(assembly_buffered(assembly), taken - 1);
    refused(1, 1, true, 1, REASON_ASSEMBLY_FULL);
    held(3, 1, false, 1400);
    assert_int_equal(given_up[REASON_ASSEMBLY_FULL], 2);
}

TEST_WITH(a_message_makes_room_for_itself_only_if_no_other_can, set_up, tear_down)
{
    static const size_t sizes[] = {1400, 1400, 1};
    (void)state;
    uint32_t taken = 0;
    while (given_up[REASON_ASSEMBLY_FULL] == 0)
        held(++taken, 0, false, 1400);
    held(2, 1, false, 1400); /* the first message was given up, so message 2 is the oldest */
    assert_int_equal(given_up[REASON_ASSEMBLY_FULL], 2);
    assert_int_equal(last_given_up[8], 3 * 7);
    whole(2, 2, true, sizes, 3);
}

/* A long segment needs the room of several short messages. All of these are given up. */
TEST_WITH(long_segments_take_the_room_of_many, set_up, tear_down)
{
    (void)state;
    for (uint32_t i = 1; i <= 40; i++)
        held(i, 0, false, 1400);
    held(100, 0, false, 40000);
    held(101, 0, false, 40000);
    held(102, 0, false, 40000);
    held(103, 0, false, 40000);
    held(104, 0, false, 40000);
    assert_true(given_up[REASON_ASSEMBLY_FULL] >= 40);
    assert_int_equal(assembly_buffered(assembly) + all_given_up(), 45);
}

TEST_WITH(a_refused_message_gives_up_all_of_its_datagrams, set_up, tear_down)
{
    static const size_t sizes[] = {10, 3000};
    (void)state;
    struct refusal refusal = {.reason = REASON_TOO_DEEP, .failure = {.cause = CAUSE_TOO_DEEP}};
    held(1, 0, false, 10);
    whole(1, 1, true, sizes, 2);
    assembly_end(assembly, &refusal);
    assert_int_equal(given_up[REASON_TOO_DEEP], 2);
    assert_int_equal(assembly_buffered(assembly), 0);
    refused(1, 1, true, 3000, REASON_TOO_DEEP);
}

TEST_WITH(messages_with_equal_numbers_differ_by_host_port_or_publisher, set_up, tear_down)
{
    (void)state;
    struct refusal refusal;
    const uint8_t bytes[HEADER] = {0};
    struct datagram_slot datagram = {.front = bytes, .size = HEADER, .received_ns = now};
    struct udp_notif header = {.body = HEADER, .is_segment = true};
    datagram.source = (struct address){.family = ADDRESS_IPV4, .bytes = {192, 0, 2, 1}};
    assert_int_equal(assembly_take(assembly, &datagram, &header, &refusal), ASSEMBLY_BUFFERED);
    assert_int_equal(assembly_take(assembly, &datagram, &header, &refusal), ASSEMBLY_REFUSED);
    datagram.source.port = 77;
    assert_int_equal(assembly_take(assembly, &datagram, &header, &refusal), ASSEMBLY_BUFFERED);
    datagram.source.bytes[3] = 2;
    assert_int_equal(assembly_take(assembly, &datagram, &header, &refusal), ASSEMBLY_BUFFERED);
    header.publisher = 1;
    assert_int_equal(assembly_take(assembly, &datagram, &header, &refusal), ASSEMBLY_BUFFERED);
}

/* --- random messages -------------------------------------------------------------------------- */

#define MESSAGES 3000
#define MOST     12

/*
 * The segments of several messages are mixed; some are duplicated or lost, and time passes. Each
 * datagram must end as a part of a whole message, as refused, or as given up. A message must become
 * whole once if all its segments arrive in time and there is enough memory.
 */
TEST_WITH(every_datagram_has_one_outcome, set_up, tear_down)
{
    (void)state;
    uint64_t random = 5;
    size_t sent = 0, in_whole = 0, refusals = 0, wholes = 0, lost = 0;
    for (uint32_t first = 1; first < MESSAGES; first += 4) {
        struct piece pieces[4 * MOST * 2];
        size_t count = 0;
        for (uint32_t message = first; message < first + 4; message++) {
            size_t segments = 2 + next_below(&random, MOST - 1);
            for (size_t i = 0; i < segments; i++) {
                size_t times = 1 + (next_below(&random, 20) == 0);
                times = next_below(&random, 40) == 0 ? 0 : times;
                lost += times == 0;
                while (times-- != 0)
                    pieces[count++] = (struct piece){message, (uint16_t)i, i + 1 == segments,
                                                     next_below(&random, 2500)};
            }
        }
        for (size_t i = count; i > 1; i--) {
            size_t with = next_below(&random, i);
            struct piece other = pieces[i - 1];
            pieces[i - 1] = pieces[with];
            pieces[with] = other;
        }
        for (size_t i = 0; i < count; i++) {
            struct refusal refusal;
            enum assembly_result result = take(pieces[i], &refusal);
            sent++;
            now += (int64_t)next_below(&random, 12);
            refusals += result == ASSEMBLY_REFUSED;
            if (result != ASSEMBLY_WHOLE)
                continue;
            in_whole += assembly_message(assembly).segments;
            wholes++;
            assembly_end(assembly, NULL);
        }
        assert_int_equal(sent, in_whole + refusals + all_given_up() + assembly_buffered(assembly));
    }
    assembly_finish(assembly);
    assert_int_equal(sent, in_whole + refusals + all_given_up());
    assert_in_range(wholes, MESSAGES / 2, MESSAGES - 1);
    assert_true(lost > 100);
}
