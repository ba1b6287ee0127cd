/* Tests blocks in flight to NATS: which message is next, and the outcomes of records. */
#include <string.h>

#include "sinks/destinations/nats_flights.h"
#include "tests/support/test.h"

#define UNSENT     1000
#define UNANSWERED 100

static struct nats_flights flights_of(bool per_block)
{
    return (struct nats_flights){
        .per_block = per_block, .unsent_ns = UNSENT, .unanswered_ns = UNANSWERED};
}

struct three {
    struct delivery_record records[3];
    struct delivery_block block;
};

static struct delivery_block *three(struct three *three)
{
    memset(three, 0, sizeof *three);
    three->block.records = three->records;
    three->block.count = 3;
    return &three->block;
}

static struct nats_token next(struct nats_flights *flights, int64_t now)
{
    struct nats_token token;
    assert_true(nats_flights_next(flights, &token, now));
    return token;
}

static bool acknowledge(struct nats_flights *flights, const struct nats_token *token)
{
    return nats_flights_answer(flights, token, DELIVERY_ACKNOWLEDGED, DELIVERY_REJECTED, NULL) ==
           NATS_BLOCK_DONE;
}

static const struct delivery_block *block_of(const struct nats_flights *flights,
                                             const struct nats_token *token)
{
    struct record_range range;
    return nats_flights_block(flights, token, &range);
}

TEST(blocks_are_published_in_their_order_record_by_record)
{
    struct nats_flights flights = flights_of(false);
    struct three a, b;
    assert_true(nats_flights_put(&flights, three(&a), 0));
    assert_true(nats_flights_put(&flights, three(&b), 0));
    for (uint32_t i = 0; i < 6; i++) {
        struct nats_token token = next(&flights, 0);
        assert_ptr_equal(block_of(&flights, &token), i < 3 ? &a.block : &b.block);
        assert_int_equal(token.record, i % 3);
        assert_int_equal(acknowledge(&flights, &token), i % 3 == 2);
    }
    struct nats_token none;
    struct error error;
    assert_false(nats_flights_next(&flights, &none, 0));
    assert_ptr_equal(nats_flights_take(&flights, &error), &a.block);
    assert_ptr_equal(nats_flights_take(&flights, &error), &b.block);
    assert_null(nats_flights_take(&flights, &error));
    assert_int_equal(a.records[2].outcome, DELIVERY_ACKNOWLEDGED);
}

TEST(records_that_were_decided_before_are_passed_over)
{
    struct nats_flights flights = flights_of(false);
    struct three a;
    struct nats_token none;
    three(&a);
    a.records[0].outcome = DELIVERY_REFUSED;
    a.records[0].done = true;
    a.records[2].done = true;
    assert_true(nats_flights_put(&flights, &a.block, 0));
    struct nats_token token = next(&flights, 0);
    assert_int_equal(token.record, 1);
    assert_false(nats_flights_next(&flights, &none, 0));
    assert_true(acknowledge(&flights, &token));
    assert_int_equal(a.records[0].outcome, DELIVERY_REFUSED);
    assert_int_equal(a.records[1].outcome, DELIVERY_ACKNOWLEDGED);
}

TEST(what_was_published_to_a_subject_that_is_denied_is_refused)
{
    struct nats_flights flights = flights_of(false);
    struct three a, b;
    three(&a)->route = "a";
    three(&b)->route = "b";
    assert_true(nats_flights_put(&flights, &a.block, 0));
    assert_true(nats_flights_put(&flights, &b.block, 0));
    struct nats_token first = next(&flights, 0);
    next(&flights, 0);
    assert_true(acknowledge(&flights, &first) == false);
    assert_false(nats_flights_deny(&flights, "a", "no"));
    assert_int_equal(a.records[0].outcome, DELIVERY_ACKNOWLEDGED);
    assert_int_equal(a.records[1].outcome, DELIVERY_REFUSED);
    assert_int_equal(a.records[1].reason, DELIVERY_DENIED);
    assert_int_equal(a.records[2].outcome, DELIVERY_NOT_SENT); /* it was not published */
    for (int i = 0; i < 4; i++)
        next(&flights, 0);
    assert_true(nats_flights_deny(&flights, "a", "no"));
    assert_false(nats_flights_deny(&flights, "c", "no"));
    struct error error;
    assert_ptr_equal(nats_flights_take(&flights, &error), &a.block);
    assert_string_equal(error.text, "no");
    assert_int_equal(b.records[0].outcome, DELIVERY_UNKNOWN);
}

TEST(a_block_as_one_message_has_one_answer)
{
    struct nats_flights flights = flights_of(true);
    struct three a;
    struct nats_token none;
    assert_true(nats_flights_put(&flights, three(&a), 0));
    struct nats_token token = next(&flights, 0);
    assert_false(nats_flights_next(&flights, &none, 0));
    assert_int_equal(
        nats_flights_answer(&flights, &token, DELIVERY_REFUSED, DELIVERY_REJECTED, "bad"),
        NATS_BLOCK_DONE);
    struct error error;
    assert_ptr_equal(nats_flights_take(&flights, &error), &a.block);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(a.records[i].outcome, DELIVERY_REFUSED);
        assert_int_equal(a.records[i].reason, DELIVERY_REJECTED);
    }
    assert_string_equal(error.text, "bad");
}

static struct nats_token next_part(struct nats_flights *flights, uint32_t first, uint32_t count)
{
    struct record_range range;
    struct nats_token token = next(flights, 1);
    assert_non_null(nats_flights_block(flights, &token, &range));
    assert_int_equal(range.first, first);
    assert_int_equal(range.count, count);
    return token;
}

static enum nats_progress refuse(struct nats_flights *flights, const struct nats_token *token)
{
    return nats_flights_answer(flights, token, DELIVERY_REFUSED, DELIVERY_TOO_LARGE, "big");
}

static void make_large(struct three *three)
{
    for (size_t i = 0; i < 3; i++) {
        three->records[i].offset = (uint32_t)i * 10;
        three->records[i].size = 10;
    }
    three->block.route = "t";
}

TEST(a_block_that_is_too_large_is_divided_until_a_record_is_too_large_by_itself)
{
    struct nats_flights flights = flights_of(true);
    struct three a, b;
    make_large((three(&a), &a));
    make_large((three(&b), &b));
    assert_true(nats_flights_put(&flights, &a.block, 0));
    struct nats_token whole = next_part(&flights, 0, 3);
    assert_int_equal(refuse(&flights, &whole), NATS_DIVIDED);
    struct nats_token first = next_part(&flights, 0, 1);
    struct nats_token rest = next_part(&flights, 1, 2);
    assert_int_equal(refuse(&flights, &rest), NATS_DIVIDED);
    assert_false(acknowledge(&flights, &first));
    struct nats_token middle = next_part(&flights, 1, 1);
    struct nats_token last = next_part(&flights, 2, 1);
    assert_false(acknowledge(&flights, &last));
    assert_int_equal(refuse(&flights, &middle), NATS_BLOCK_DONE);
    assert_int_equal(flights.unanswered, 0);
    assert_ptr_equal(nats_flights_take(&flights, NULL), &a.block);
    assert_int_equal(a.records[0].outcome, DELIVERY_ACKNOWLEDGED);
    assert_int_equal(a.records[1].outcome, DELIVERY_REFUSED);
    assert_int_equal(a.records[1].reason, DELIVERY_TOO_LARGE);
    assert_int_equal(a.records[2].outcome, DELIVERY_ACKNOWLEDGED);
    /* The first block has shown the limit of the subject. */
    assert_true(nats_flights_put(&flights, &b.block, 0));
    next_part(&flights, 0, 1);
    next_part(&flights, 1, 1);
    next_part(&flights, 2, 1);
}

TEST(a_second_answer_for_what_was_divided_is_not_taken_for_its_first_half)
{
    struct nats_flights flights = flights_of(true);
    struct three a;
    make_large((three(&a), &a));
    assert_true(nats_flights_put(&flights, &a.block, 0));
    struct nats_token whole = next_part(&flights, 0, 3);
    refuse(&flights, &whole);
    struct nats_token first = next_part(&flights, 0, 1);
    assert_null(block_of(&flights, &whole));
    assert_int_equal(refuse(&flights, &whole), NATS_GOES_ON);
    assert_int_equal(a.records[0].outcome, DELIVERY_UNKNOWN);
    acknowledge(&flights, &first);
    assert_int_equal(a.records[0].outcome, DELIVERY_ACKNOWLEDGED);
}

TEST(what_a_stream_refused_is_tried_again_later_as_its_limit_may_have_been_raised)
{
    struct nats_flights flights = flights_of(true);
    struct three a, b, c;
    struct nats_token token;
    make_large((three(&a), &a));
    make_large((three(&b), &b));
    make_large((three(&c), &c));
    nats_flights_put(&flights, &a.block, 0);
    token = next_part(&flights, 0, 3);
    refuse(&flights, &token);
    nats_flights_expire(&flights, INT64_MAX);
    nats_flights_take(&flights, NULL);
    nats_flights_put(&flights, &b.block, 0);
    for (uint32_t at = 0; at < 3; at += token.count)
        nats_flights_next(&flights, &token, NATS_LIMIT_LASTS_NS - 1);
    assert_int_equal(token.count, 2);
    nats_flights_put(&flights, &c.block, 0);
    assert_true(nats_flights_next(&flights, &token, NATS_LIMIT_LASTS_NS + 1));
    assert_int_equal(token.count, 3);
    refuse(&flights, &token); /* the limit was not raised, and is learned again */
    nats_flights_next(&flights, &token, 2 * NATS_LIMIT_LASTS_NS);
    assert_int_equal(token.count, 1);
}

TEST(a_block_that_is_sent_again_is_divided_as_before_also_where_more_is_taken_now)
{
    struct nats_flights flights = flights_of(true);
    struct three a;
    make_large((three(&a), &a));
    flights.most = 20;
    nats_flights_put(&flights, &a.block, 0);
    next_part(&flights, 0, 1);
    next_part(&flights, 1, 2);
    nats_flights_expire(&flights, INT64_MAX);
    nats_flights_take(&flights, NULL);
    flights.most = 0;
    a.block.again = true;
    nats_flights_put(&flights, &a.block, 0);
    next_part(&flights, 0, 1);
    next_part(&flights, 1, 2);
}

TEST(a_block_is_divided_by_what_the_server_takes_and_again_in_the_same_way)
{
    struct nats_flights flights = flights_of(true);
    struct three a;
    make_large((three(&a), &a));
    flights.most = 20;
    assert_true(nats_flights_put(&flights, &a.block, 0));
    next_part(&flights, 0, 1);
    struct nats_token rest = next_part(&flights, 1, 2);
    acknowledge(&flights, &rest);
    nats_flights_expire(&flights, INT64_MAX);
    assert_ptr_equal(nats_flights_take(&flights, NULL), &a.block);
    assert_int_equal(a.records[0].outcome, DELIVERY_UNKNOWN);
    assert_int_equal(a.records[2].outcome, DELIVERY_ACKNOWLEDGED);
    a.records[1].done = a.records[2].done = true;
    flights.most = 0;
    assert_true(nats_flights_put(&flights, &a.block, 0));
    struct nats_token first = next_part(&flights, 0, 1);
    assert_true(acknowledge(&flights, &first));
}

TEST(what_was_published_is_unknown_until_its_answer_and_the_rest_not_sent)
{
    struct nats_flights flights = flights_of(false);
    struct three a;
    nats_flights_put(&flights, three(&a), 0);
    struct nats_token first = next(&flights, 0);
    next(&flights, 0);
    acknowledge(&flights, &first);
    nats_flights_expire(&flights, INT64_MAX);
    struct error error;
    assert_ptr_equal(nats_flights_take(&flights, &error), &a.block);
    assert_int_equal(a.records[0].outcome, DELIVERY_ACKNOWLEDGED);
    assert_int_equal(a.records[1].outcome, DELIVERY_UNKNOWN);
    assert_int_equal(a.records[2].outcome, DELIVERY_NOT_SENT);
    assert_string_equal(error.text, "no answer came in time");
}

TEST(with_a_connection_all_blocks_are_lost_that_follow_one_without_its_answer)
{
    struct nats_flights flights = flights_of(true);
    struct three a, b;
    nats_flights_put(&flights, three(&a), 0);
    nats_flights_put(&flights, three(&b), 0);
    assert_false(nats_flights_lose(&flights)); /* no message was published */
    struct nats_token token = next(&flights, 0);
    assert_true(nats_flights_lose(&flights));
    assert_false(acknowledge(&flights, &token));
    assert_false(nats_flights_next(&flights, &token, 0));
    struct error error;
    assert_ptr_equal(nats_flights_take(&flights, &error), &a.block);
    assert_string_equal(error.text, "the connection was lost before an answer came");
    assert_ptr_equal(nats_flights_take(&flights, &error), &b.block);
    assert_int_equal(a.records[0].outcome, DELIVERY_UNKNOWN);
    assert_int_equal(b.records[0].outcome, DELIVERY_NOT_SENT);
    assert_false(nats_flights_lose(&flights));
}

TEST(an_answer_that_comes_twice_or_too_late_changes_nothing)
{
    struct nats_flights flights = flights_of(false);
    struct three a, b;
    nats_flights_put(&flights, three(&a), 0);
    struct nats_token token = next(&flights, 0);
    acknowledge(&flights, &token);
    nats_flights_answer(&flights, &token, DELIVERY_REFUSED, DELIVERY_DENIED, "no");
    assert_int_equal(a.records[0].outcome, DELIVERY_ACKNOWLEDGED);
    token = next(&flights, 0);
    nats_flights_expire(&flights, INT64_MAX);
    assert_false(acknowledge(&flights, &token));
    assert_int_equal(a.records[1].outcome, DELIVERY_UNKNOWN);
    nats_flights_take(&flights, NULL);
    nats_flights_put(&flights, three(&b), 0); /* in the slot of the lost block */
    next(&flights, 0);
    next(&flights, 0);
    assert_false(acknowledge(&flights, &token));
    assert_null(block_of(&flights, &token));
    assert_int_equal(b.records[1].outcome, DELIVERY_UNKNOWN);
}

TEST(an_answer_for_what_was_never_published_changes_nothing)
{
    struct nats_flights flights = flights_of(false);
    struct three a;
    nats_flights_put(&flights, three(&a), 0);
    struct nats_token token = next(&flights, 0);
    struct nats_token wrong[] = {
        {token.flight, 1, 1, token.order}, {token.flight, UINT32_MAX, 1, token.order},
        {NATS_FLIGHTS, 0, 1, token.order}, {UINT32_MAX, 0, 1, token.order},
        {token.flight + 1, 0, 1, 0},       {token.flight, 0, 1, token.order + 1},
        {token.flight, 0, 2, token.order}, {token.flight, 0, 0, token.order},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(acknowledge(&flights, &wrong[i]));
    assert_int_equal(a.records[1].outcome, DELIVERY_NOT_SENT);
}

TEST(a_block_waits_longer_to_be_published_than_for_an_answer)
{
    struct nats_flights flights = flights_of(true);
    struct three a;
    assert_int_equal(nats_flights_due(&flights), INT64_MAX);
    nats_flights_put(&flights, three(&a), 5);
    assert_int_equal(nats_flights_due(&flights), 5 + UNSENT);
    next(&flights, 50);
    assert_int_equal(nats_flights_due(&flights), 50 + UNANSWERED);
    nats_flights_expire(&flights, 50 + UNANSWERED - 1);
    assert_null(nats_flights_take(&flights, NULL));
    nats_flights_expire(&flights, 50 + UNANSWERED);
    assert_int_equal(nats_flights_due(&flights), INT64_MAX);
    assert_ptr_equal(nats_flights_take(&flights, NULL), &a.block);
}

TEST(there_is_room_for_so_many_blocks)
{
    struct nats_flights flights = flights_of(true);
    struct three all[NATS_FLIGHTS + 1];
    for (size_t i = 0; i < NATS_FLIGHTS; i++)
        assert_true(nats_flights_put(&flights, three(&all[i]), 0));
    assert_false(nats_flights_put(&flights, three(&all[NATS_FLIGHTS]), 0));
    struct nats_token token = next(&flights, 0);
    acknowledge(&flights, &token);
    assert_false(nats_flights_put(&flights, &all[NATS_FLIGHTS].block,
                                  0)); /* the complete block must be removed first */
    assert_ptr_equal(nats_flights_take(&flights, NULL), &all[0].block);
    assert_true(nats_flights_put(&flights, &all[NATS_FLIGHTS].block, 0));
}

TEST(what_waits_for_an_answer_is_counted)
{
    struct nats_flights flights = flights_of(false);
    struct three a, b;
    struct error error;
    assert_true(nats_flights_put(&flights, three(&a), 1));
    assert_true(nats_flights_put(&flights, three(&b), 1));
    struct nats_token first = next(&flights, 5);
    next(&flights, 6);
    assert_int_equal(flights.unanswered, 2);
    acknowledge(&flights, &first);
    acknowledge(&flights, &first);
    assert_int_equal(flights.unanswered, 1);
    nats_flights_expire(&flights, INT64_MAX);
    assert_int_equal(flights.unanswered, 0);
    assert_ptr_equal(nats_flights_take(&flights, &error), &a.block);
    assert_int_equal(flights.last_begun_ns, 0); /* some messages have no answer */
    assert_ptr_equal(nats_flights_take(&flights, &error), &b.block);
    assert_true(nats_flights_put(&flights, three(&a), 1));
    for (int64_t now = 7; now < 10; now++) {
        struct nats_token token = next(&flights, now);
        acknowledge(&flights, &token);
    }
    assert_int_equal(flights.unanswered, 0);
    assert_ptr_equal(nats_flights_take(&flights, &error), &a.block);
    assert_int_equal(flights.last_begun_ns, 7);
}
