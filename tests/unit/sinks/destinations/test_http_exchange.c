/* Tests the requests of one block to a scripted server that accepts some of its records. */
#include "sinks/destinations/http_exchange.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"

#define MOST 4096

static struct delivery_record records[MOST];
static struct delivery_block block;
static struct http_exchange exchange;
static size_t requests;

typedef long server(const struct http_range *range);

static void open_block(size_t count)
{
    memset(records, 0, sizeof records);
    block = (struct delivery_block){.records = records, .count = count};
    requests = 0;
}

static void exchange_as(const char *format, server *answers)
{
    http_exchange_begin(&exchange, &block, format);
    while (http_exchange_next(&exchange)) {
        char text[32];
        long status = answers(&exchange.range);
        snprintf(text, sizeof text, "answered %ld", status);
        const struct http_reply reply = {.status = status, .sent = true, .text = text};
        assert_in_range(exchange.range.count, 1, block.count);
        requests++;
        http_exchange_answer(&exchange, &reply);
    }
    assert_true(block.per_record);
}

static size_t count_fate(uint8_t fate)
{
    size_t count = 0;
    for (size_t i = 0; i < block.count; i++)
        count += !records[i].done && records[i].outcome == fate;
    return count;
}

static void assert_fates(size_t acknowledged, size_t refused, size_t not_sent)
{
    size_t open = 0;
    for (size_t i = 0; i < block.count; i++)
        open += !records[i].done;
    assert_int_equal(count_fate(DELIVERY_ACKNOWLEDGED), acknowledged);
    assert_int_equal(count_fate(DELIVERY_REFUSED), refused);
    assert_int_equal(count_fate(DELIVERY_NOT_SENT), not_sent);
    assert_int_equal(acknowledged + refused + not_sent + count_fate(DELIVERY_UNKNOWN), open);
}

/* --- servers ---------------------------------------------------------------------------------- */

static size_t bad[3];
static size_t bad_count;
static long bad_status;

static bool has(const struct http_range *range, size_t record)
{
    return record >= range->first && record < range->first + range->count;
}

static long takes_all(const struct http_range *range)
{
    (void)range;
    return 204;
}

static long takes_nothing(const struct http_range *range)
{
    (void)range;
    return bad_status;
}

static long refuses_bad(const struct http_range *range)
{
    for (size_t i = 0; i < bad_count; i++)
        if (has(range, bad[i]))
            return bad_status;
    return 204;
}

static size_t largest;

static long takes_a_few(const struct http_range *range)
{
    return range->count <= largest ? 204 : 413;
}

static size_t taken;

static long breaks_down_later(const struct http_range *range)
{
    if (requests < taken)
        return refuses_bad(range);
    return 503;
}

/* --- blocks and their requests ---------------------------------------------------------------- */

TEST(a_block_that_is_taken_is_one_request)
{
    open_block(100);
    exchange_as("json", takes_all);
    assert_int_equal(requests, 1);
    assert_fates(100, 0, 0);
    assert_string_equal(exchange.error.text, "");
}

TEST(one_bad_record_is_found_and_the_others_are_saved)
{
    for (size_t at = 0; at < 100; at++) {
        open_block(100);
        bad[0] = at;
        bad_count = 1;
        bad_status = 400;
        exchange_as("json", refuses_bad);
        assert_fates(99, 1, 0);
        assert_int_equal(records[at].outcome, DELIVERY_REFUSED);
        assert_int_equal(records[at].reason, DELIVERY_REJECTED);
        assert_in_range(requests, 3, 1 + 2 * 7);
        assert_string_equal(exchange.error.text, "answered 400");
    }
}

static bool is_bad_of(size_t index, size_t count, size_t bad_of)
{
    return index * bad_of / count != (index + 1) * bad_of / count;
}

static size_t many_bad;

static long refuses_many(const struct http_range *range)
{
    for (size_t i = range->first; i < range->first + range->count; i++)
        if (is_bad_of(i, block.count, many_bad))
            return bad_status;
    return 204;
}

TEST(each_good_record_is_taken_however_many_are_bad)
{
    static const size_t numbers[] = {0, 1, 2, 3, 5, 20, 100, 500, 999, 1000};
    static const size_t most[] = {1, 21, 40, 57, 90, 280, 930, 1999, 1999, 1999};
    bad_status = 400;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        open_block(1000);
        many_bad = numbers[i];
        exchange_as("json", refuses_many);
        assert_fates(1000 - many_bad, many_bad, 0);
        for (size_t at = 0; at < 1000; at++)
            assert_int_equal(records[at].outcome == DELIVERY_REFUSED,
                             is_bad_of(at, 1000, many_bad));
        assert_in_range(requests, 1, most[i]);
    }
}

TEST(what_takes_too_many_requests_goes_on_later)
{
    size_t tries = 0;
    open_block(MOST);
    many_bad = MOST / 2;
    bad_status = 400;
    for (size_t open = MOST; open != 0; tries++) {
        exchange_as("json", refuses_many);
        assert_in_range(requests, 1, HTTP_REQUESTS_MOST);
        for (size_t i = 0; i < MOST; i++)
            if (!records[i].done && records[i].outcome != DELIVERY_NOT_SENT) {
                assert_int_equal(records[i].outcome == DELIVERY_REFUSED,
                                 is_bad_of(i, MOST, many_bad));
                records[i].done = true;
                open--;
            }
        requests = 0;
    }
    assert_in_range(tries, 2, 5);
}

TEST(a_record_alone_has_no_halves)
{
    open_block(1);
    bad_status = 400;
    exchange_as("json", takes_nothing);
    assert_int_equal(requests, 1);
    assert_fates(0, 1, 0);
}

TEST(what_halves_do_not_help_is_refused_at_once)
{
    static const long statuses[] = {301, 401, 403, 404, 405, 415};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        open_block(10);
        bad_status = statuses[i];
        exchange_as("json", takes_nothing);
        assert_int_equal(requests, 1);
        assert_fates(0, 10, 0);
    }
}

TEST(what_is_too_large_is_divided_until_it_is_taken)
{
    open_block(64);
    largest = 5;
    exchange_as("json", takes_a_few);
    assert_fates(64, 0, 0);
    assert_int_equal(requests, 31);
}

TEST(requests_of_one_block_are_bounded)
{
    open_block(MOST);
    largest = 0;
    exchange_as("json", takes_a_few);
    assert_int_equal(requests, HTTP_REQUESTS_MOST);
    assert_int_equal(count_fate(DELIVERY_ACKNOWLEDGED), 0);
    assert_true(count_fate(DELIVERY_REFUSED) != 0);
    assert_fates(0, count_fate(DELIVERY_REFUSED), count_fate(DELIVERY_NOT_SENT));
}

TEST(a_server_that_goes_meanwhile_gets_the_rest_later)
{
    for (taken = 1; taken < 8; taken++) {
        open_block(64);
        bad[0] = 63;
        bad_count = 1;
        bad_status = 400;
        exchange_as("json", breaks_down_later);
        assert_fates(count_fate(DELIVERY_ACKNOWLEDGED), count_fate(DELIVERY_REFUSED),
                     count_fate(DELIVERY_NOT_SENT));
        assert_int_not_equal(records[63].outcome, DELIVERY_ACKNOWLEDGED);
        assert_true(count_fate(DELIVERY_NOT_SENT) != 0);
        for (size_t i = 0; i < 64; i++)
            records[i].done = records[i].outcome != DELIVERY_NOT_SENT;
        exchange_as("json", refuses_bad);
        for (size_t i = 0; i < 63; i++)
            assert_int_equal(records[i].outcome == DELIVERY_REFUSED, false);
    }
}

TEST(records_that_have_their_fate_are_not_sent)
{
    open_block(10);
    records[0].done = records[4].done = records[5].done = records[9].done = true;
    exchange_as("json", takes_all);
    assert_int_equal(requests, 2);
    assert_fates(6, 0, 0);
}

TEST(an_answer_that_never_comes_leaves_the_rest_unsent)
{
    const struct http_reply none = {.sent = true, .text = "nothing came"};
    open_block(10);
    records[5].done = true;
    http_exchange_begin(&exchange, &block, "json");
    assert_true(http_exchange_next(&exchange));
    http_exchange_answer(&exchange, &none);
    assert_false(http_exchange_next(&exchange));
    assert_int_equal(count_fate(DELIVERY_UNKNOWN), 5);
    assert_int_equal(count_fate(DELIVERY_NOT_SENT), 4);
    assert_string_equal(exchange.error.text, "nothing came");
}

TEST(the_longest_wish_to_be_left_alone_counts)
{
    const struct http_reply busy = {.status = 429, .retry_after_ns = 7, .text = "busy"};
    open_block(10);
    http_exchange_begin(&exchange, &block, "json");
    assert_true(http_exchange_next(&exchange));
    http_exchange_answer(&exchange, &busy);
    assert_false(http_exchange_next(&exchange));
    assert_int_equal(exchange.retry_after_ns, 7);
    assert_fates(0, 0, 10);
}

TEST(what_remote_write_is_refused_too_often_is_given_up_in_halves)
{
    open_block(16);
    bad[0] = 3;
    bad_count = 1;
    bad_status = 500;
    for (int tries = 0; tries < 10; tries++) {
        exchange_as("remote-write", refuses_bad);
        assert_fates(0, 0, 16);
    }
    exchange_as("remote-write", refuses_bad);
    assert_fates(15, 1, 0);
    assert_int_equal(records[3].outcome, DELIVERY_REFUSED);
}

TEST(what_cannot_be_made_is_refused_and_what_is_too_long_divided)
{
    open_block(4);
    http_exchange_begin(&exchange, &block, "json");
    while (http_exchange_next(&exchange))
        if (exchange.range.count > 1)
            http_exchange_reject(&exchange, DELIVERY_TOO_LARGE, "too long");
        else
            http_exchange_reject(&exchange, DELIVERY_REJECTED, "foreign");
    assert_fates(0, 4, 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(records[i].reason, DELIVERY_REJECTED);
}

TEST(a_stop_leaves_what_was_not_answered_unsent)
{
    const struct http_reply refused = {.status = 400, .sent = true, .text = "no"};
    open_block(8);
    http_exchange_begin(&exchange, &block, "json");
    assert_true(http_exchange_next(&exchange));
    http_exchange_answer(&exchange, &refused);
    assert_true(http_exchange_next(&exchange));
    http_exchange_cancel(&exchange, "the stop");
    assert_false(http_exchange_next(&exchange));
    assert_fates(0, 0, 8);
}

/* --- answers about some of the records -------------------------------------------------------- */

static void exchange_partly(const char *format, bool repeats, server *answers)
{
    static struct http_lessons lessons;
    memset(&lessons, 0, sizeof lessons);
    http_exchange_begin(&exchange, &block, format);
    http_exchange_know(&exchange, &lessons, repeats);
    while (http_exchange_next(&exchange)) {
        long status = answers(&exchange.range);
        const struct http_reply reply = {
            .status = status, .sent = true, .partly = status != 204, .text = "partial write"};
        requests++;
        http_exchange_answer(&exchange, &reply);
    }
    http_exchange_end(&exchange);
}

TEST(where_some_were_taken_and_twice_matters_it_is_not_sent_again)
{
    static const long statuses[] = {400, 404, 413, 422};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        open_block(100);
        many_bad = 2;
        bad_status = statuses[i];
        exchange_partly("json", false, refuses_many);
        assert_int_equal(requests, 1);
        assert_int_equal(count_fate(DELIVERY_PARTLY_ACCEPTED), 100);
    }
}

TEST(where_it_does_not_the_bad_ones_are_found)
{
    open_block(100);
    many_bad = 2;
    bad_status = 400;
    exchange_partly("influx", true, refuses_many);
    assert_fates(98, 2, 0);
    for (size_t i = 0; i < 100; i++)
        assert_true(records[i].repeated);
}

TEST(what_may_pass_and_was_taken_in_part_is_unknown)
{
    static const long statuses[] = {408, 429, 500, 503};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        open_block(100);
        bad_status = statuses[i];
        exchange_partly("json", false, takes_nothing);
        assert_int_equal(requests, 1);
        assert_int_equal(count_fate(DELIVERY_UNKNOWN), 100);
    }
}

TEST(a_record_of_several_lines_may_be_there_in_part)
{
    open_block(100);
    for (size_t i = 0; i < 100; i++)
        records[i].lines = i < 50 ? 1 : 2;
    many_bad = 4;
    bad_status = 400;
    /* For remote-write the text of an answer does not matter. */
    exchange_as("remote-write", refuses_many);
    assert_int_equal(count_fate(DELIVERY_ACKNOWLEDGED), 96);
    assert_int_equal(count_fate(DELIVERY_REFUSED), 2);
    assert_int_equal(count_fate(DELIVERY_PARTLY_ACCEPTED), 2);
    open_block(1);
    records[0].lines = 2;
    /* This answer does not say that some records were accepted. */
    exchange_as("influx", takes_nothing);
    assert_int_equal(count_fate(DELIVERY_REFUSED), 1);
    open_block(1);
    records[0].lines = 2;
    exchange_partly("influx", true, takes_nothing);
    assert_int_equal(count_fate(DELIVERY_PARTLY_ACCEPTED), 1);
}

TEST(what_prometheus_says_it_never_takes_is_not_tried_again)
{
    open_block(16);
    many_bad = 3;
    bad_status = 500;
    http_exchange_begin(&exchange, &block, "remote-write");
    while (http_exchange_next(&exchange)) {
        const struct http_reply reply = {.status = refuses_many(&exchange.range),
                                         .sent = true,
                                         .never = true,
                                         .text = "too old sample"};
        http_exchange_answer(&exchange, &reply);
    }
    assert_fates(13, 3, 0);
}

/* --- series that are learned as refused ------------------------------------------------------- */

static struct http_lessons lessons;
static uint32_t keys[MOST][2];

static void set_key(size_t index, uint32_t series, uint32_t sender)
{
    keys[index][0] = series;
    keys[index][1] = sender;
    records[index].key = (uint32_t)(index * sizeof keys[0]);
    records[index].key_size = sizeof keys[0];
    records[index].size = 100;
    block.keys = (const uint8_t *)keys;
}

static uint32_t bad_series;

static bool is_meant(const struct http_range *range, size_t index)
{
    return records[index].group == records[range->first].group;
}

static long refuses_series(const struct http_range *range)
{
    for (size_t i = range->first; i < range->first + range->count; i++)
        if (is_meant(range, i) && keys[i][0] == bad_series)
            return bad_status;
    return 204;
}

/*
 * Sends a block of 1,000 records in 250 series of one sender, with the refused series that were
 * learned from earlier blocks.
 */
static void exchange_learning(const char *format, server *answers)
{
    open_block(1000);
    for (size_t i = 0; i < block.count; i++)
        set_key(i, 1000 + (uint32_t)i % 250, 7);
    http_exchange_begin(&exchange, &block, format);
    http_exchange_know(&exchange, &lessons, true);
    while (http_exchange_next(&exchange)) {
        const struct http_reply reply = {
            .status = answers(&exchange.range), .sent = true, .text = "answered"};
        requests++;
        http_exchange_answer(&exchange, &reply);
    }
    http_exchange_end(&exchange);
}

TEST(a_series_that_is_refused_again_and_again_has_its_own_requests)
{
    lessons = (struct http_lessons){0};
    bad_series = 1100;
    bad_status = 400;
    exchange_learning("json", refuses_series);
    assert_fates(996, 4, 0);
    assert_in_range(requests, 40, 80);
    assert_true(http_lessons_any(&lessons));
    /*
     * The requests are: the good records; the four bad ones; two of these; the other two; and each
     * of the four.
     */
    exchange_learning("json", refuses_series);
    assert_fates(996, 4, 0);
    assert_int_equal(requests, 8);
    for (int i = 0; i < 4; i++)
        exchange_learning("json", refuses_series);
    assert_fates(996, 4, 0);
    assert_int_equal(requests, 4); /* the good records; the four bad ones; the newest; the oldest */
}

TEST(it_is_as_all_others_when_it_is_taken_again)
{
    bad_series = 0;
    exchange_learning("json", refuses_series);
    assert_fates(1000, 0, 0);
    assert_int_equal(requests, 2);
    exchange_learning("json", refuses_series);
    assert_int_equal(requests, 1);
    assert_int_equal(lessons.used, 0);
}

/*
 * A partly refused request may have stored the good records in it. So a record that was not sent by
 * itself may have been stored.
 */
TEST(what_is_not_sent_individually_may_be_there_after_a_partial_refusal)
{
    lessons = (struct http_lessons){0};
    bad_series = 1100;
    bad_status = 400;
    for (int i = 0; i < 5; i++) {
        exchange_learning("remote-write", refuses_series);
        assert_int_equal(count_fate(DELIVERY_ACKNOWLEDGED), 996);
        assert_int_equal(count_fate(DELIVERY_REFUSED), i < 4 ? 4 : 2);
        assert_int_equal(count_fate(DELIVERY_PARTLY_ACCEPTED), i < 4 ? 0 : 2);
    }
    assert_int_equal(requests, 4); /* the good records; the four bad ones; the newest; the oldest */
}

static size_t good_from;

static long refuses_series_before(const struct http_range *range)
{
    for (size_t i = range->first; i < range->first + range->count; i++)
        if (is_meant(range, i) && keys[i][0] == bad_series && i < good_from)
            return bad_status;
    return 204;
}

TEST(a_hopeless_series_that_recovers_within_a_block_loses_nothing)
{
    lessons = (struct http_lessons){0};
    bad_series = 1100;
    for (int i = 0; i < 6; i++)
        exchange_learning("json", refuses_series);
    for (good_from = 0; good_from <= 1000; good_from += 250) {
        struct http_lessons hopeless = lessons;
        size_t refused = good_from / 250;
        exchange_learning("json", refuses_series_before);
        assert_fates(1000 - refused, refused, 0);
        lessons = hopeless;
    }
}

static uint32_t good_series;

static long refuses_sender(const struct http_range *range)
{
    for (size_t i = range->first; i < range->first + range->count; i++)
        if (is_meant(range, i) && keys[i][1] == 66 && keys[i][0] != good_series)
            return 400;
    return 204;
}

/*
 * Sends a block of 1,000 records, of which 20 are of sender 66. Each of these 20 is in another
 * series, from series `first`.
 */
static void exchange_of_sender(uint32_t first)
{
    open_block(1000);
    for (size_t i = 0; i < block.count; i++)
        set_key(i, i % 50 == 0 ? first + (uint32_t)i / 50 : 100000 + (uint32_t)i,
                i % 50 == 0 ? 66 : 7);
    http_exchange_begin(&exchange, &block, "json");
    http_exchange_know(&exchange, &lessons, true);
    while (http_exchange_next(&exchange)) {
        const struct http_reply reply = {
            .status = refuses_sender(&exchange.range), .sent = true, .text = "answered"};
        requests++;
        http_exchange_answer(&exchange, &reply);
    }
    http_exchange_end(&exchange);
}

TEST(a_sender_of_which_all_is_refused_is_one_group)
{
    lessons = (struct http_lessons){0};
    for (uint32_t number = 0; number < 12; number++) {
        exchange_of_sender(1 + 20 * number);
        assert_fates(980, 20, 0);
    }
    assert_int_equal(requests, 4);
}

TEST(a_good_series_that_such_a_sender_begins_is_found)
{
    for (uint32_t among = 1; among < 20; among++) {
        lessons = (struct http_lessons){0};
        good_series = 0;
        for (int i = 0; i < 4; i++)
            exchange_of_sender(1);
        assert_fates(980, 20, 0);
        assert_int_equal(requests, 4);
        keys[0][0] = good_series = 1 + among;
        keys[0][1] = 7;
        /* The outcome of this record is unknown. */
        http_lessons_taken(&lessons, &block, &records[0]);
        exchange_of_sender(1);
        assert_fates(981, 19, 0);
    }
    good_series = 0;
}

TEST(remote_write_does_not_wait_for_a_series_that_it_knows)
{
    lessons = (struct http_lessons){0};
    bad_series = 1100;
    bad_status = 400;
    exchange_learning("remote-write", refuses_series);
    bad_status = 500;
    exchange_learning("remote-write", refuses_series);
    assert_fates(996, 4, 0);
}

TEST(a_server_that_refuses_everything_is_not_asked_for_each_record)
{
    lessons = (struct http_lessons){0};
    bad_status = 400;
    exchange_learning("json", takes_nothing);
    assert_fates(0, 1000, 0);
    assert_int_equal(requests, 1999);
    exchange_learning("json", takes_nothing);
    assert_fates(0, 1000, 0);
    assert_int_equal(requests, 3);
    bad_series = 1100;
    exchange_learning("json", refuses_series);
    assert_fates(996, 4, 0);
}

TEST(the_bytes_that_are_taken_at_a_time_are_learnt)
{
    lessons = (struct http_lessons){0};
    largest = 40;
    exchange_learning("json", takes_a_few);
    assert_fates(1000, 0, 0);
    assert_in_range(requests, 32, 63);
    exchange_learning("json", takes_a_few);
    assert_fates(1000, 0, 0);
    assert_in_range(requests, 32, 35);
    largest = 1000;
    for (int i = 0; i < 100; i++)
        exchange_learning("json", takes_a_few);
    assert_int_equal(requests, 1); /* the limit was forgotten */
}

TEST(what_is_remembered_is_bounded)
{
    lessons = (struct http_lessons){0};
    open_block(1);
    for (uint32_t i = 0; i < 100000; i++) {
        set_key(0, 2 * i + 1, 2 * i + 2);
        http_lessons_refused(&lessons, &block, &records[0]);
        assert_in_range(lessons.used, 1, HTTP_LESSONS_MOST);
    }
}
