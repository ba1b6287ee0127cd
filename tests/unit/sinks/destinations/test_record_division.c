/* The ranges that a block is divided into: each record once, in order, and none above the limit. */
#include <stdio.h>
#include <string.h>

#include "sinks/destinations/record_division.h"
#include "tests/support/test.h"

#define RECORDS 4096 /* of a block, at most */
#define HEAD    5    /* bytes before its first record */

static struct delivery_record records[RECORDS];
static struct delivery_block block;

static void fill(size_t count, uint32_t size)
{
    memset(records, 0, sizeof records);
    for (size_t i = 0; i < count; i++) {
        records[i].offset = HEAD + (uint32_t)i * size;
        records[i].size = size;
    }
    block = (struct delivery_block){.records = records, .count = count};
}

static void assert_next(struct record_division *division, size_t most, size_t first, size_t count)
{
    struct record_range range;
    assert_true(record_division_next(division, &block, most, &range));
    assert_int_equal(range.first, first);
    assert_int_equal(range.count, count);
}

static void assert_end(struct record_division *division)
{
    struct record_range range;
    assert_false(record_division_next(division, &block, SIZE_MAX, &range));
}

TEST(a_block_that_fits_is_one_range)
{
    struct record_division division;
    fill(10, 100);
    record_division_begin(&division, &block);
    assert_next(&division, HEAD + 1000, 0, 10);
    assert_end(&division);
}

TEST(ranges_have_at_most_the_limit_with_the_head_of_the_block)
{
    struct record_division division;
    fill(10, 100);
    record_division_begin(&division, &block);
    assert_next(&division, HEAD + 400, 0, 4);
    assert_next(&division, HEAD + 399, 4, 3);
    assert_next(&division, HEAD + 400, 7, 3);
    assert_end(&division);
}

TEST(a_record_above_the_limit_is_a_range_of_its_own)
{
    struct record_division division;
    fill(3, 100);
    record_division_begin(&division, &block);
    assert_next(&division, 10, 0, 1);
    assert_next(&division, 10, 1, 1);
    assert_next(&division, 10, 2, 1);
    assert_end(&division);
}

TEST(records_that_are_done_are_in_no_range)
{
    struct record_division division;
    fill(8, 100);
    records[0].done = records[3].done = records[4].done = records[7].done = true;
    record_division_begin(&division, &block);
    assert_next(&division, SIZE_MAX, 1, 2);
    assert_next(&division, SIZE_MAX, 5, 2);
    assert_end(&division);
}

/* The far end takes no range with the record `bad`. Returns the ranges that were tried. */
static size_t divide_for(size_t bad, size_t most)
{
    struct record_division division;
    struct record_range range;
    size_t tried = 0, next = 0, refused = 0;
    record_division_begin(&division, &block);
    while (record_division_next(&division, &block, most, &range)) {
        tried++;
        assert_int_equal(range.first, next);
        if (range.first <= bad && bad < range.first + range.count &&
            record_division_divide(&division, &range))
            continue;
        refused += range.first == bad;
        next = range.first + range.count;
    }
    assert_int_equal(next, block.count); /* each record was decided, in order */
    assert_int_equal(refused, 1);
    return tried;
}

TEST(one_record_that_is_too_large_costs_the_others_nothing)
{
    fill(RECORDS, 100);
    for (size_t bad = 0; bad < RECORDS; bad += 273)
        assert_int_equal(divide_for(bad, SIZE_MAX), 1 + 2 * 12);
    assert_true(divide_for(RECORDS - 1, HEAD + 1000) <= 410 + 2 * 4);
}

TEST(a_range_that_was_not_sent_comes_again)
{
    struct record_division division;
    struct record_range range;
    fill(4, 100);
    record_division_begin(&division, &block);
    assert_true(record_division_next(&division, &block, HEAD + 200, &range));
    record_division_return(&division, &range);
    assert_next(&division, HEAD + 200, 0, 2);
    assert_next(&division, HEAD + 200, 2, 2);
    assert_end(&division);
}

TEST(a_limit_that_falls_while_a_block_is_divided_leaves_room_for_all_ranges)
{
    struct record_division division;
    struct record_range range;
    fill(RECORDS, 100);
    record_division_begin(&division, &block);
    size_t most = HEAD + 100 * (RECORDS - 1);
    while (record_division_next(&division, &block, most, &range)) {
        most = record_range_size(&block, &range) - 1;
        record_division_divide(&division, &range);
    }
}
