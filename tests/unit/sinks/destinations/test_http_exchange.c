/* The requests that become of one block: a server that is scripted by what it takes. */
#include "sinks/destinations/http_exchange.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"

#define MOST 4096

static struct delivery_record records[MOST];
static struct delivery_block block;
static struct http_exchange exchange;
static size_t requests;

/* How the server answers a request of these records. */
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
        count += !records[i].done && records[i].fate == fate;
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

/* --- what comes of it ------------------------------------------------------------------------- */

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
        assert_int_equal(records[at].fate, DELIVERY_REFUSED);
        assert_int_equal(records[at].reason, DELIVERY_REJECTED);
        assert_in_range(requests, 3, 1 + 2 * 7);
        assert_string_equal(exchange.error.text, "answered 400");
    }
}

TEST(where_both_halves_are_refused_it_ends)
{
    open_block(MOST);
    bad_status = 400;
    exchange_as("json", takes_nothing);
    assert_int_equal(requests, 3);
    assert_fates(0, MOST, 0);
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
        assert_int_not_equal(records[63].fate, DELIVERY_ACKNOWLEDGED);
        assert_true(count_fate(DELIVERY_NOT_SENT) != 0);
        for (size_t i = 0; i < 64; i++)
            records[i].done = records[i].fate != DELIVERY_NOT_SENT;
        exchange_as("json", refuses_bad);
        for (size_t i = 0; i < 63; i++)
            assert_int_equal(records[i].fate == DELIVERY_REFUSED, false);
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
    assert_int_equal(records[3].fate, DELIVERY_REFUSED);
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
