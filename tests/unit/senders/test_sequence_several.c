/*
 * Tests senders with several connections, or with ports that reach several sockets. Each path is
 * read separately, so numbers of one path may arrive long after those of another.
 */
#include <stdbool.h>
#include <stdio.h>

#include "collector/senders/sequence.h"
#include "tests/support/senders/sequence_notes.h"
#include "tests/support/test.h"

#define WINDOW ((uint64_t)SEQUENCE_SPREAD_LEAST)
#define PATHS  4

static int create_several(void **state)
{
    return create_table(state) == 0 && sequence_add_spread(*state, WINDOW) ? 0 : -1;
}

static void add_up(struct sequence_outcome *sum, struct sequence_outcome more)
{
    sum->lost += more.lost;
    sum->duplicated += more.duplicated;
    sum->late += more.late;
    sum->restarted += more.restarted;
}

/*
 * Sends the numbers 1 to `count` over the paths in turn, but not the number `without`. Then reads
 * the paths one after the other, `part` numbers each time.
 */
static struct sequence_outcome read_paths(struct sequence_table *table, uint64_t boot_id,
                                          uint64_t count, uint64_t part, uint64_t without)
{
    struct sequence_outcome sum = {0};
    for (uint64_t begin = 0; begin < count; begin += PATHS * part)
        for (uint64_t path = PATHS; path-- != 0;)
            for (uint64_t i = 0; i < part && begin + i * PATHS + path < count; i++) {
                uint64_t number = begin + i * PATHS + path + 1;
                if (number != without)
                    add_up(&sum, note_several(table, "a", boot_id, number));
            }
    return sum;
}

TEST_WITH(paths_that_are_read_one_after_another_lose_nothing, create_several, destroy_table)
{
    for (uint64_t boot_id = 0; boot_id <= 1; boot_id++) {
        assert_quiet(read_paths(*state, boot_id, 40000, 10000, 0));
        assert_int_equal(settle(*state).lost, 0);
        assert_quiet(read_paths(*state, boot_id, 400000, 10000, 0));
        assert_int_equal(settle(*state).lost, 0);
    }
}

TEST_WITH(a_number_that_no_path_had_is_lost, create_several, destroy_table)
{
    for (uint64_t boot_id = 0; boot_id <= 1; boot_id++) {
        assert_outcome(read_paths(*state, boot_id, 200000, 5000, 777), .lost = 1);
        assert_int_equal(settle(*state).lost, 0);
        assert_quiet(read_paths(*state, boot_id, 40000, 5000, 777));
        assert_int_equal(settle(*state).lost, 1);
    }
}

TEST_WITH(a_path_with_the_first_half_may_be_read_last, create_several, destroy_table)
{
    for (uint64_t number = 20001; number <= 40000; number++)
        note_several(*state, "a", 0, number);
    for (uint64_t number = 1; number <= 20000; number++)
        assert_outcome(note_several(*state, "a", 0, number), .reordered = 1);
    assert_int_equal(settle(*state).lost, 0);
}

TEST_WITH(a_sender_without_boot_id_restarts_with_numbers_that_had_come, create_several,
          destroy_table)
{
    for (uint64_t number = 1; number <= 5000; number++)
        note_several(*state, "a", 0, number);
    assert_outcome(note_several(*state, "a", 0, 1), .duplicated = 1);
    assert_outcome(note_several(*state, "a", 0, 2), .restarted = 1);
    assert_quiet(note_several(*state, "a", 0, 3));
    assert_int_equal(settle(*state).lost, 0);
}

TEST_WITH(a_number_with_a_boot_id_that_had_come_is_doubled, create_several, destroy_table)
{
    for (uint64_t number = 1; number <= 5000; number++)
        note_several(*state, "a", 9, number);
    for (uint64_t number = 1; number <= 5000; number++)
        assert_outcome(note_several(*state, "a", 9, number), .duplicated = 1);
    assert_int_equal(settle(*state).lost, 0);
}

static const char *name_of(unsigned i)
{
    static char name[16];
    snprintf(name, sizeof name, "%u", i);
    return name;
}

TEST_WITH(senders_without_a_long_window_keep_an_ordinary_one, create_several, destroy_table)
{
    enum { SENDERS = 2 * SEQUENCE_SPREAD_SENDERS };
    struct sequence_outcome sum = {0};
    for (uint64_t number = 1; number <= 20; number++)
        for (unsigned i = 0; i < SENDERS; i++) {
            struct sequence_outcome one = note_several(*state, name_of(i), 3, number * 2);
            assert_int_equal(one.evicted, 0);
            assert_int_equal(one.new_senders, number == 1);
            add_up(&sum, one);
        }
    struct settled settled = settle(*state);
    assert_int_equal(settled.senders, SENDERS);
    assert_int_equal(sum.lost + settled.lost, SENDERS * 19);
}

TEST_WITH(a_quiet_sender_gives_up_its_long_window, create_several, destroy_table)
{
    for (unsigned i = 0; i < 2 * SEQUENCE_SPREAD_SENDERS; i++)
        note_several(*state, name_of(i), 3, 1);
    uint64_t evicted = 0;
    for (unsigned i = 0; i < 64; i++) /* a sender in each shard is busy */
        for (uint64_t number = 2; number < SEQUENCE_QUIET / 2; number++)
            evicted += note_several(*state, name_of(i), 3, number).evicted;
    assert_int_equal(evicted, 0);
    for (unsigned i = 0; i < 300; i++)
        evicted += note_several(*state, name_of(1000000 + i), 3, 1).evicted;
    assert_in_range(evicted, 1, SEQUENCE_SPREAD_SENDERS);
    assert_int_equal(settle(*state).senders + evicted, 2 * SEQUENCE_SPREAD_SENDERS + 300);
}

TEST_WITH(without_long_windows_their_window_is_ordinary, create_table, destroy_table)
{
    assert_outcome(note_several(*state, "a", 3, 1), .new_senders = 1);
    assert_outcome(note_several(*state, "a", 3, 2 + SEQUENCE_WINDOW), .lost = 1);
}
