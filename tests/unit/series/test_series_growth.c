/*
 * Tests the senders and labels that cause the growth of series. The largest ones are found, however
 * many others there are.
 */
#include "collector/series/series_growth.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

static struct address sender_of(uint32_t number)
{
    const uint8_t bytes[4] = {10, (uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number};
    return address_from_ipv4(bytes, 0);
}

static void note_label(struct series_growth *growth, const char *name, uint64_t value)
{
    const struct text text = {name, strlen(name)};
    series_growth_note_label(growth, &text, next_random(&value));
}

static struct growth_report read(struct series_growth *growth)
{
    struct growth_report report;
    series_growth_read(growth, &report);
    return report;
}

static void note_series(struct series_growth *growth, uint32_t sender, bool refused, size_t times)
{
    const struct address address = sender_of(sender);
    for (size_t i = 0; i < times; i++)
        series_growth_note_series(growth, &address, refused);
}

TEST(at_first_there_are_no_senders_and_labels)
{
    struct series_growth *growth = series_growth_create();
    struct growth_report report = read(growth);
    assert_int_equal(report.sender_count + report.label_count + report.late_count, 0);
    series_growth_destroy(growth);
}

TEST(senders_come_by_refused_samples_and_then_by_new_series)
{
    struct series_growth *growth = series_growth_create();
    note_series(growth, 1, false, 50);
    note_series(growth, 2, true, 3);
    note_series(growth, 3, false, 60);
    note_series(growth, 2, false, 5);
    struct growth_report report = read(growth);
    static const uint32_t expected[] = {2, 3, 1};
    assert_int_equal(report.sender_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct address address = sender_of(expected[i]);
        assert_true(address_same_host(&report.senders[i].sender, &address));
    }
    assert_int_equal(report.senders[0].refused, 3);
    assert_int_equal(report.senders[0].added, 5);
    series_growth_destroy(growth);
}

TEST(a_sender_with_much_of_it_stays_among_any_number_of_others)
{
    struct series_growth *growth = series_growth_create();
    for (uint32_t i = 0; i < 100000; i++) {
        note_series(growth, 1000 + i, true, 1);
        if (i % 10 == 0)
            note_series(growth, 7, true, 1);
    }
    struct growth_report report = read(growth);
    const struct address address = sender_of(7);
    assert_int_equal(report.sender_count, GROWTH_TOLD);
    assert_true(address_same_host(&report.senders[0].sender, &address));
    assert_true(report.senders[0].refused > 9000);
    series_growth_destroy(growth);
}

TEST(samples_out_of_time_are_counted_by_their_sender)
{
    struct series_growth *growth = series_growth_create();
    for (uint32_t i = 0; i < 12; i++) {
        const struct address address = sender_of(i % 4);
        series_growth_note_time(growth, &address);
    }
    struct growth_report report = read(growth);
    assert_int_equal(report.sender_count, 0);
    assert_int_equal(report.late_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(report.late[i].refused, 3);
    series_growth_destroy(growth);
}

TEST(few_values_of_a_label_are_counted_exactly)
{
    struct series_growth *growth = series_growth_create();
    for (uint64_t i = 0; i < 1000; i++) {
        note_label(growth, "host", i % 5);
        note_label(growth, "id", 100 + i % 63);
    }
    struct growth_report report = read(growth);
    assert_int_equal(report.label_count, 2);
    assert_string_equal(report.labels[0].name, "id");
    assert_int_equal(report.labels[0].values, 63);
    assert_string_equal(report.labels[1].name, "host");
    assert_int_equal(report.labels[1].values, 5);
    series_growth_destroy(growth);
}

TEST(many_values_of_a_label_are_counted_within_a_quarter)
{
    static const uint64_t counts[] = {100, 1000, 10000, 1000000};
    struct series_growth *growth = series_growth_create();
    for (size_t k = 0; k < 4; k++) {
        char name[16];
        snprintf(name, sizeof name, "id%zu", k);
        for (uint64_t i = 0; i < counts[k]; i++)
            note_label(growth, name, k << 32 | i);
        for (uint64_t i = 0; i < counts[k]; i++)
            note_label(growth, name, k << 32 | i);
    }
    struct growth_report report = read(growth);
    assert_int_equal(report.label_count, 4);
    for (size_t k = 0; k < 4; k++) {
        uint64_t values = report.labels[3 - k].values;
        assert_true(values > counts[k] * 3 / 4 && values < counts[k] * 5 / 4);
    }
    series_growth_destroy(growth);
}

TEST(the_label_with_random_values_is_first_among_random_names_too)
{
    struct series_growth *growth = series_growth_create();
    for (uint64_t i = 0; i < 20000; i++) {
        char name[32];
        snprintf(name, sizeof name, "name%llu", (unsigned long long)i);
        note_label(growth, name, i);
        note_label(growth, "id", i);
    }
    struct growth_report report = read(growth);
    assert_int_equal(report.label_count, GROWTH_TOLD);
    assert_string_equal(report.labels[0].name, "id");
    assert_true(report.labels[0].values > 10000);
    series_growth_destroy(growth);
}

TEST(names_that_differ_after_their_kept_beginning_are_two_if_their_lengths_differ)
{
    struct series_growth *growth = series_growth_create();
    char name[GROWTH_NAME + 10];
    memset(name, 'x', sizeof name);
    for (size_t size = 1; size <= sizeof name; size++) {
        const struct text text = {name, size};
        series_growth_note_label(growth, &text, size);
    }
    struct growth_report report = read(growth);
    assert_int_equal(report.label_count, GROWTH_TOLD);
    for (size_t i = 0; i < GROWTH_TOLD; i++)
        assert_int_equal(report.labels[i].values, 1);
    series_growth_destroy(growth);
}
