/*
 * Tests sequences and the report of senders when memory is short: an error is returned, and the
 * tables are unchanged.
 */
#include <stdio.h>

#include "collector/senders/sender_report.h"
#include "collector/senders/sharded_sets.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/test.h"

static const uint8_t secret[16] = "not very secret";
static const struct listener first = {.index = 0, .name = "udp://first"};
static const struct listener second = {.index = 1, .name = "udp://second"};

static void assert_reported(struct sender_report *report, const char *expected)
{
    char text[512];
    struct output out = {.data = text, .capacity = sizeof text};
    sender_report_write(report, &out);
    assert_false(out.overflow);
    assert_true(out.used < sizeof text);
    text[out.used] = '\0';
    assert_string_equal(text, expected);
}

TEST(a_table_of_sequences_is_made_whole_or_not_at_all)
{
    struct sequence_table *sequences = NULL;
    uint64_t number = 0;
    while (sequences == NULL) {
        failing_memory_fail(++number);
        sequences = sequence_table_create(1000, secret);
        assert_int_equal(sequences == NULL, failing_memory_left() == 0);
    }
    failing_memory_fail(0);
    assert_true(number > SHARDS); /* each shard has a lock */
    sequence_table_destroy(sequences);
}

TEST(a_report_whose_memory_is_short_is_not_made)
{
    struct sequence_table *sequences = sequence_table_create(1000, secret);
    assert_non_null(sequences);
    assert_true(sequence_keep_senders(sequences));
    /* The allocations are the report, the copied senders, the tables, and the rows. */
    for (uint64_t number = 1; number <= 4; number++) {
        failing_memory_fail(number);
        assert_null(sender_report_create(2, sequences));
        assert_int_equal(failing_memory_left(), 0);
    }
    failing_memory_fail(0);
    sequence_table_destroy(sequences);
}

TEST(a_listener_for_which_memory_is_short_is_refused_and_the_others_stay)
{
    struct sequence_table *sequences = sequence_table_create(1000, secret);
    assert_non_null(sequences);
    assert_true(sequence_keep_senders(sequences));
    struct sender_report *report = sender_report_create(1, sequences);
    assert_non_null(report);
    assert_true(sender_report_add_listener(report, &first));

    failing_memory_fail(1);
    assert_false(sender_report_add_listener(report, &second));
    failing_memory_fail(0);
    assert_reported(report, "{\"listeners\":[{\"name\":\"udp://first\",\"senders\":[]}],"
                            "\"replaced\":0,\"losers\":[]}\n");

    assert_true(sender_report_add_listener(report, &second)); /* a second try succeeds */
    assert_reported(report, "{\"listeners\":[{\"name\":\"udp://first\",\"senders\":[]},"
                            "{\"name\":\"udp://second\",\"senders\":[]}],"
                            "\"replaced\":0,\"losers\":[]}\n");
    sender_report_destroy(report);
    sequence_table_destroy(sequences);
}

TEST(room_for_more_tables_that_cannot_be_had_loses_nothing)
{
    struct sequence_table *sequences = sequence_table_create(1000, secret);
    assert_non_null(sequences);
    assert_true(sequence_keep_senders(sequences));
    struct traffic_table *table = traffic_table_create(secret);
    assert_non_null(table);
    struct sender_report *report = sender_report_create(1, sequences);
    assert_non_null(report);
    assert_true(sender_report_add_listener(report, &first));
    sender_report_add_table(report, table);
    const uint8_t bytes[4] = {192, 0, 2, 1};
    struct address source = address_from_ipv4(bytes, 4000);
    traffic_note(table, 0, &source, 100);

    for (uint64_t number = 1; number <= 2; number++) { /* the tables, the rows */
        failing_memory_fail(number);
        assert_false(sender_report_reserve(report, 1));
    }
    failing_memory_fail(0);
    assert_reported(report, "{\"listeners\":[{\"name\":\"udp://first\",\"senders\":["
                            "{\"address\":\"192.0.2.1\",\"datagrams\":1,\"bytes\":100}]}],"
                            "\"replaced\":0,\"losers\":[]}\n");
    sender_report_destroy(report);
    traffic_table_destroy(table);
    sequence_table_destroy(sequences);
}

TEST(a_report_of_no_listener_is_empty)
{
    struct sequence_table *sequences = sequence_table_create(1000, secret);
    assert_non_null(sequences);
    assert_true(sequence_keep_senders(sequences));
    struct sender_report *report = sender_report_create(1, sequences);
    assert_non_null(report);
    assert_reported(report, "{\"listeners\":[],\"replaced\":0,\"losers\":[]}\n");
    sender_report_destroy(report);
    sequence_table_destroy(sequences);
}
