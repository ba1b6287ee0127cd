/*
 * Tests damage: torn ends, changed bytes, a wrong cursor, missing files, and files of another
 * spill. In each case the spill can be opened, undamaged blocks are read in order, and missing
 * records are counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/platform/file_system.h"
#include "collector/platform/machine.h"
#include "tests/support/base/random_number.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/spill/read_blocks.h"
#include "tests/support/spill/spilling.h"
#include "tests/support/test.h"

struct found {
    uint64_t numbers[512];
    size_t count;
};

/*
 * Opens the spill. At some of the calls, inspects the spill first, and asserts that the inspection
 * gives the same result.
 */
static struct spill *open_with(const struct spill_settings *settings)
{
    static unsigned openings;
    return openings++ % TEST_INSPECTED_ONE_IN == 0 ? spilling_open_inspected(settings)
                                                   : spilling_open_with(settings);
}

static struct spill *open_usual(void)
{
    const struct spill_settings settings = spilling_settings();
    return open_with(&settings);
}

/*
 * Reads and acknowledges all blocks. Asserts that their numbers rise, that the counts balance, and
 * that no block is left.
 */
static struct found read_all(struct spill *spill)
{
    struct found found = {0};
    uint64_t number;
    while (spilling_read(spill, &number)) {
        assert_in_range(found.count, 0, 511);
        assert_true(found.count == 0 || found.numbers[found.count - 1] < number);
        found.numbers[found.count++] = number;
        acknowledge_oldest(spill);
    }
    struct spill_counts counts = spilling_counts(spill);
    assert_int_equal(counts.held, 0);
    uint64_t records = 0;
    for (size_t i = 0; i < found.count; i++)
        records += spilling_count(found.numbers[i]);
    assert_int_equal(counts.acknowledged, records);
    return found;
}

static void leave(uint64_t first, uint64_t end)
{
    struct spill *spill = open_usual();
    spilling_append_all(spill, first, end);
    spilling_close(spill);
}

/*
 * The blocks from SPILLING_SMALL to this number are small, and fill more than two segments. These
 * tests have no cursor, as after a kill.
 */
#define SMALL_END (SPILLING_SMALL + 9)

static struct spill *open_small(void)
{
    const struct spill_settings settings = spilling_small_settings();
    return open_with(&settings);
}

static void leave_small(void)
{
    struct spill *spill = open_small();
    spilling_append_all(spill, SPILLING_SMALL, SMALL_END);
    spilling_close(spill);
    others_remove("spill/ack");
    assert_true(spilling_segments() >= 3);
}

/*
 * Asserts that the spill can be used, and that afterwards only files are left that were set aside.
 */
static void assert_usable_afterwards(void)
{
    struct spill *spill = open_usual();
    assert_int_equal(spilling_counts(spill).recovered, 0);
    spilling_append_all(spill, 1000, 1003);
    spilling_expect(spill, 1000, 1003, true);
    assert_int_equal(spilling_counts(spill).lost, 0);
    spilling_close(spill);
    assert_int_equal(spilling_segments(), 0);
}

static void assert_all_but(const struct found *found, uint64_t first, uint64_t end,
                           uint64_t missing)
{
    size_t at = 0;
    for (uint64_t number = first; number < end; number++)
        if (number != missing)
            assert_int_equal(found->numbers[at++], number);
    assert_int_equal(found->count, at);
}

static size_t size_of(uint64_t number)
{
    uint8_t bytes[SPILLING_IMAGE];
    return SPILL_HEAD_SIZE + spilling_image(number, bytes);
}

/* --- torn ends -------------------------------------------------------------------------------- */

TEST_WITH(a_torn_end_costs_the_blocks_that_are_torn_and_no_other, scratch_make, scratch_remove)
{
    (void)state;
    leave_small();
    size_t segments = spilling_segments();
    char last[80];
    snprintf(last, sizeof last, "%s", spilling_segment(segments - 1));
    size_t size;
    free(scratch_read(last, &size));
    uint64_t first = SMALL_END; /* first block of the last segment */
    for (size_t left = size; left != 0; left -= size_of(first))
        first--;
    spilling_save();
    uint64_t before = SMALL_END;
    for (size_t cut = 1; cut <= size; cut += TEST_BYTES_APART) {
        spilling_restore();
        others_cut(last, size - cut);
        struct spill *spill = open_small();
        struct found found = read_all(spill);
        uint64_t end = SPILLING_SMALL + found.count;
        assert_all_but(&found, SPILLING_SMALL, end, SMALL_END);
        assert_true(end <= before && end + 1 >= before);
        before = end;
        /*
         * If a torn block has a complete head, the number of its records is known, and they count
         * as lost.
         */
        size_t torn = size - cut;
        for (uint64_t number = first; number < end; number++)
            torn -= size_of(number);
        uint64_t lost = torn >= SPILL_HEAD_SIZE ? spilling_count(end) : 0;
        assert_int_equal(spilling_counts(spill).lost, lost);
        spilling_append(spill, SMALL_END);
        spilling_expect(spill, SMALL_END, SMALL_END + 1, true);
        spilling_close(spill);
        assert_int_equal(spilling_segments(), 0);
    }
    assert_true(before <= SMALL_END - 2);
}

TEST_WITH(what_a_torn_end_left_is_no_part_of_what_comes_after_it, scratch_make, scratch_remove)
{
    (void)state;
    uint64_t next = 0;
    uint64_t lost = 0;
    uint64_t seed = 4;
    for (unsigned run = 0; run < 40; run++) {
        struct spill *spill = open_usual();
        assert_int_equal(spilling_counts(spill).recovered, spilling_records(0, next) + lost);
        spilling_append_all(spill, next, next + 3);
        spilling_close(spill);
        size_t size;
        char last[80];
        snprintf(last, sizeof last, "%s", spilling_segment(spilling_segments() - 1));
        free(scratch_read(last, &size));
        uint8_t bytes[SPILLING_IMAGE];
        size_t whole = SPILL_HEAD_SIZE + spilling_image(next + 2, bytes);
        others_cut(last, size - 1 - next_below(&seed, whole - 1));
        next += 2;
        lost += spilling_count(next);
    }
    struct spill *spill = open_usual();
    spilling_expect(spill, 0, next, true);
    assert_false(spilling_read(spill, &next));
    assert_int_equal(spilling_counts(spill).lost, lost);
    spilling_close(spill);
}

/* --- changed bytes ---------------------------------------------------------------------------- */

TEST_WITH(a_changed_byte_costs_the_block_that_it_is_in, scratch_make, scratch_remove)
{
    (void)state;
    leave_small();
    spilling_save();
    size_t segments = spilling_segments();
    uint64_t number = SPILLING_SMALL;
    uint64_t seed = 1;
    for (size_t segment = 0; segment < segments; segment++) {
        char name[80];
        size_t size;
        spilling_restore();
        snprintf(name, sizeof name, "%s", spilling_segment(segment));
        char *bytes = scratch_read(name, &size);
        for (size_t begin = 0; begin < size; begin += size_of(number++)) {
            for (size_t at = begin; at < begin + size_of(number); at += TEST_BYTES_APART) {
                char flipped = (char)(1 << next_below(&seed, 8));
                spilling_restore();
                bytes[at] ^= flipped;
                scratch_put(name, bytes, size);
                bytes[at] ^= flipped;
                struct spill *spill = open_small();
                struct found found = read_all(spill);
                uint64_t lost = spilling_counts(spill).lost;
                spilling_close(spill);
                assert_all_but(&found, SPILLING_SMALL, SMALL_END, number);
                /* The number of records in the last block is only in the block's own head. */
                bool uncounted = number + 1 == SMALL_END && at < begin + SPILL_HEAD_SIZE;
                assert_int_equal(lost, uncounted ? 0 : spilling_count(number));
                assert_int_equal(spilling_segments(), 0);
            }
        }
        free(bytes);
    }
    assert_int_equal(number, SMALL_END);
    assert_usable_afterwards();
}

/*
 * Overwrites random parts of the files, replaces whole files by random bytes, and damages all files
 * at once.
 */
TEST_WITH(whatever_is_in_the_folder_the_spill_is_opened_and_read_to_its_end, scratch_make,
          scratch_remove)
{
    (void)state;
    const uint64_t end = 40;
    leave(0, end);
    struct spill *spill = open_usual();
    spilling_expect(spill, 0, 5, true);
    spilling_close(spill);
    spilling_save();
    for (uint64_t seed = 0; seed < TEST_DAMAGES; seed++) {
        uint64_t random = seed;
        spilling_restore();
        for (uint64_t damage = next_below(&random, 4) + 1; damage > 0; damage--) {
            size_t segments = spilling_segments();
            char name[80];
            snprintf(name, sizeof name, "%s",
                     segments == 0 || next_below(&random, 8) == 0
                         ? "spill/ack"
                         : spilling_segment((size_t)next_below(&random, segments)));
            size_t size;
            char *bytes = scratch_read(name, &size);
            size_t at = size == 0 ? 0 : (size_t)next_below(&random, size);
            size_t run = (size_t)next_below(&random, 200);
            uint64_t kind = next_below(&random, 5);
            if (kind == 4)
                size = at;
            for (size_t i = at; kind != 4 && i < size && i < at + run; i++)
                bytes[i] = kind == 0 ? 0 : kind == 1 ? bytes[i / 2] : (char)next_random(&random);
            scratch_put(name, bytes, size);
            free(bytes);
        }
        spill = open_usual();
        struct found found = read_all(spill);
        assert_true(found.count == 0 || found.numbers[found.count - 1] < end);
        spilling_append_all(spill, 500, 503);
        spilling_expect(spill, 500, 503, true);
        spilling_close(spill);
        assert_int_equal(spilling_segments(), 0);
    }
}

TEST_WITH(a_damaged_segment_is_set_aside_and_two_of_them_are_kept, scratch_make, scratch_remove)
{
    (void)state;
    leave(0, 80);
    size_t segments = spilling_segments();
    assert_true(segments > 5);
    for (size_t i = 0; i < 5; i++) {
        size_t size;
        char name[80];
        snprintf(name, sizeof name, "%s", spilling_segment(i));
        char *bytes = scratch_read(name, &size);
        bytes[size / 2] ^= 1;
        scratch_put(name, bytes, size);
        free(bytes);
    }
    char fourth[80];
    char fifth[80];
    snprintf(fourth, sizeof fourth, "%s", spilling_segment(3));
    snprintf(fifth, sizeof fifth, "%s", spilling_segment(4));
    memcpy(fourth + strlen(fourth) - 3, "bad", 3);
    memcpy(fifth + strlen(fifth) - 3, "bad", 3);
    struct spill *spill = open_usual();
    struct found found = read_all(spill);
    assert_int_equal(found.count, 75);
    spilling_close(spill);
    assert_int_equal(scratch_count("spill"), 4); /* the cursor, the lock, and two other files */
    assert_true(scratch_has(fourth) && scratch_has(fifth));
    spilling_close(spilling_open());
    assert_int_equal(scratch_count("spill"), 4);
}

TEST_WITH(a_damaged_segment_is_set_aside_when_nothing_is_in_its_way_any_more, scratch_make,
          scratch_remove)
{
    (void)state;
    static const char segment[] = "spill/00000000000000000000.seg";
    static const char aside[] = "spill/00000000000000000000.bad";
    size_t size;
    leave(0, 20);
    char *bytes = scratch_read(segment, &size);
    bytes[size / 2] ^= 1;
    scratch_put(segment, bytes, size);
    free(bytes);
    scratch_make_folder(aside);
    struct spill *spill = open_usual();
    assert_int_equal(read_all(spill).count, 19);
    spilling_tick(spill);
    assert_true(scratch_has(segment));
    others_remove_folder(aside);
    spilling_tick(spill);
    assert_true(scratch_has(aside) && !scratch_has(segment));
    spilling_close(spill);
}

/* --- the cursor ------------------------------------------------------------------------------- */

TEST_WITH(without_its_cursor_what_was_acknowledged_of_a_segment_is_read_again, scratch_make,
          scratch_remove)
{
    (void)state;
    struct spill *spill = open_usual();
    spilling_append_all(spill, 0, 30);
    spilling_expect(spill, 0, 12, true);
    spilling_close(spill);
    size_t size;
    char *cursor = scratch_read("spill/ack", &size);
    spilling_save();
    for (unsigned how = 0; how < 3; how++) {
        spilling_restore();
        if (how == 0)
            others_remove("spill/ack");
        else if (how == 1)
            scratch_put("spill/ack", "", 0);
        else
            scratch_put("spill/ack", cursor + 1, size - 1);
        spill = open_usual();
        struct found found = read_all(spill);
        assert_in_range(found.numbers[0], 1, 12);
        assert_all_but(&found, found.numbers[0], 30, 30);
        assert_int_equal(spilling_counts(spill).lost, 0);
        spilling_close(spill);
        assert_int_equal(spilling_segments(), 0);
    }
    free(cursor);
}

TEST_WITH(an_old_cursor_costs_a_replay_and_no_loss, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = open_usual();
    spilling_append_all(spill, 0, 9);
    spilling_expect(spill, 0, 2, true);
    spilling_tick(spill);
    size_t size;
    char *cursor = scratch_read("spill/ack", &size);
    spilling_expect(spill, 2, 3, true);
    spilling_close(spill);
    scratch_put("spill/ack", cursor, size);
    free(cursor);
    spill = open_usual();
    spilling_expect(spill, 2, 9, true);
    assert_int_equal(spilling_counts(spill).lost, 0);
    spilling_close(spill);
}

TEST_WITH(a_torn_write_of_the_cursor_leaves_the_older_one, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = open_usual();
    spilling_append_all(spill, 0, 9);
    spilling_expect(spill, 0, 2, true);
    spilling_tick(spill);
    spilling_expect(spill, 2, 3, false);
    size_t size;
    char *before = scratch_read("spill/ack", &size);
    acknowledge_oldest(spill);
    spilling_close(spill);
    size_t after_size;
    char *after = scratch_read("spill/ack", &after_size);
    spilling_save();
    for (size_t written = 0; written < after_size; written++) {
        bool changed = written >= size || before[written] != after[written];
        if (!changed)
            continue;
        after[written] ^= 4;
        spilling_restore();
        scratch_put("spill/ack", after, after_size);
        after[written] ^= 4;
        spill = open_usual();
        spilling_expect(spill, 2, 9, true);
        spilling_close(spill);
    }
    free(before);
    free(after);
}

/* After a power cut, the cursor may be on disk without the last blocks. */
TEST_WITH(a_cursor_past_all_blocks_counts_and_numbers_go_on_after_it, scratch_make, scratch_remove)
{
    (void)state;
    leave(0, 9);
    spilling_save();
    struct spill *spill = open_usual();
    spilling_append_all(spill, 9, 30);
    spilling_expect(spill, 0, 28, true);
    spilling_close(spill);
    size_t size;
    char *cursor = scratch_read("spill/ack", &size);
    spilling_restore();
    scratch_put("spill/ack", cursor, size);
    free(cursor);
    spill = open_usual();
    assert_int_equal(spilling_counts(spill).recovered, spilling_records(28, 30));
    spilling_append_all(spill, 30, 35);
    spilling_close(spill);
    spill = open_usual();
    spilling_expect(spill, 30, 35, true);
    assert_int_equal(spilling_counts(spill).lost, spilling_records(28, 30));
    spilling_close(spill);
}

TEST_WITH(the_cursor_of_another_spill_is_ignored, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = open_usual();
    spilling_append_all(spill, 0, 9);
    spilling_expect(spill, 0, 9, true);
    spilling_close(spill);
    size_t size;
    char *cursor = scratch_read("spill/ack", &size);
    others_remove("spill/ack");
    leave(0, 9);
    scratch_put("spill/ack", cursor, size);
    free(cursor);
    spill = open_usual();
    spilling_expect(spill, 0, 9, true);
    spilling_close(spill);
}

/* --- files ------------------------------------------------------------------------------------ */

TEST_WITH(a_missing_segment_costs_its_records_and_no_others, scratch_make, scratch_remove)
{
    (void)state;
    const uint64_t end = 40;
    leave(0, end);
    size_t segments = spilling_segments();
    spilling_save();
    for (size_t missing = 0; missing < segments; missing++) {
        spilling_restore();
        others_remove(spilling_segment(missing));
        struct spill *spill = open_usual();
        struct found found = read_all(spill);
        uint64_t records = 0;
        for (size_t i = 0; i < found.count; i++)
            records += spilling_count(found.numbers[i]);
        assert_in_range(found.count, end / 2, end - 1);
        uint64_t lost = spilling_records(0, end) - records;
        assert_int_equal(spilling_counts(spill).lost, lost);
        spilling_close(spill);
        assert_int_equal(spilling_segments(), 0);
    }
}

TEST_WITH(a_segment_that_is_removed_while_it_is_open_costs_no_other, scratch_make, scratch_remove)
{
    (void)state;
    const uint64_t end = 40;
    struct spill *spill = open_usual();
    spilling_append_all(spill, 0, end);
    size_t segments = spilling_segments();
    others_remove(spilling_segment(segments - 1));
    others_remove(spilling_segment(1));
    uint64_t number;
    uint64_t records = 0;
    while (spilling_read(spill, &number)) {
        records += spilling_count(number);
        acknowledge_oldest(spill);
    }
    assert_int_equal(spilling_counts(spill).lost, spilling_records(0, end) - records);
    spilling_append_all(spill, end, end + 20);
    spilling_expect(spill, end, end + 20, true);
    spilling_close(spill);
    assert_int_equal(spilling_segments(), 0);
}

TEST_WITH(another_spills_segment_is_left_as_it_is, scratch_make, scratch_remove)
{
    (void)state;
    leave(100, 140);
    char name[80];
    size_t size;
    snprintf(name, sizeof name, "%s", spilling_segment(0));
    char *bytes = scratch_read(name, &size);
    spilling_save();
    while (spilling_segments() != 0)
        others_remove(spilling_segment(0));
    others_remove("spill/ack");
    leave(0, 40);
    scratch_put(name, bytes, size);
    free(bytes);
    struct spill *spill = open_usual();
    struct found found = read_all(spill);
    assert_true(found.count > 20 && found.numbers[found.count - 1] == 39);
    spilling_close(spill);
    assert_true(scratch_has(name));
}

/* Swaps the contents of two files. The positions in the files' heads show the real order. */
static void swap(const char *one, const char *other)
{
    size_t size, other_size;
    char *bytes = scratch_read(one, &size);
    char *others = scratch_read(other, &other_size);
    scratch_put(one, others, other_size);
    scratch_put(other, bytes, size);
    free(bytes);
    free(others);
}

static void misplace(unsigned how)
{
    char first[80], last[80];
    size_t size;
    snprintf(first, sizeof first, "%s", spilling_segment(0));
    snprintf(last, sizeof last, "%s", spilling_segment(spilling_segments() - 1));
    char *bytes = scratch_read(how == 4 ? last : first, &size);
    switch (how) {
    case 0:
        swap(first, last);
        break;
    case 1: /* another program's file as the last segment */
        scratch_put("spill/00000000000099999999.seg", "a file of another program", 25);
        break;
    case 2: /* a copy of the first segment */
    case 4:
        scratch_put("spill/00000000000099999999.seg", bytes, size);
        break;
    case 3: /* the first segment with another name */
        scratch_put("spill/first of all.seg", bytes, size);
        others_remove(first);
        break;
    case 5: /* a segment of another spill */
        bytes[8] ^= 1;
        put_little_u32((uint8_t *)bytes + 60, crc32c(0, bytes, 60));
        scratch_put("spill/00000000000099999999.seg", bytes, size);
        break;
    case 6: /* a folder */
        scratch_make_folder("spill/00000000000099999999.seg");
        break;
    default: /* a segment with an incomplete head */
        scratch_put("spill/00000000000099999999.seg", bytes, 40);
        break;
    }
    free(bytes);
}

TEST_WITH(sound_blocks_are_read_whatever_their_files_are_called, scratch_make, scratch_remove)
{
    (void)state;
    for (unsigned how = 0; how < 8; how++) {
        leave(0, 40);
        misplace(how);
        struct spill *spill = open_usual();
        spilling_expect(spill, 0, 40, true);
        assert_int_equal(spilling_counts(spill).lost, 0);
        spilling_append_all(spill, 40, 45);
        spilling_close(spill);
        spill = open_usual();
        spilling_expect(spill, 40, 45, true);
        assert_int_equal(spilling_counts(spill).lost, 0);
        spilling_close(spill);
        assert_int_equal(scratch_remove(state), 0);
        assert_int_equal(scratch_make(state), 0);
    }
}

/* Each file is removed, emptied or cut, then the last one, and then all of them. */
TEST_WITH(every_missing_record_is_counted, scratch_make, scratch_remove)
{
    (void)state;
    leave(0, 40);
    spilling_save();
    size_t segments = spilling_segments();
    for (size_t place = 0; place <= segments; place++)
        for (unsigned how = 0; how < 3; how++) {
            spilling_restore();
            for (size_t i = segments; i-- > 0;) {
                char name[80];
                size_t size;
                if (place != segments && place != i)
                    continue;
                snprintf(name, sizeof name, "%s", spilling_segment(i));
                free(scratch_read(name, &size));
                if (how == 0)
                    others_remove(name);
                else
                    others_cut(name, how == 1 ? 0 : size - 100);
            }
            struct spill *spill = open_usual();
            struct found found = read_all(spill);
            uint64_t records = 0;
            for (size_t i = 0; i < found.count; i++)
                records += spilling_count(found.numbers[i]);
            assert_int_equal(spilling_counts(spill).recovered, spilling_records(0, 40));
            assert_int_equal(spilling_counts(spill).lost, spilling_records(0, 40) - records);
            assert_true(records < spilling_records(0, 40));
            spilling_close(spill);
        }
}

TEST_WITH(other_files_in_the_folder_are_not_touched, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const others[] = {
        "spill/notes.txt",
        "spill/0.seg",
        "spill/99999999999999999999.seg",
        "spill/00000000000000000000.segment",
        "spill/0000000000000000000x.seg",
    };
    leave(0, 9);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        scratch_put(others[i], "mine", 4);
    scratch_make_folder("spill/00000000000000900000.seg");
    struct spill *spill = open_usual();
    spilling_expect(spill, 0, 9, true);
    spilling_close(spill);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        scratch_assert_holds(others[i], "mine", 4);
    assert_true(scratch_has("spill/00000000000000900000.seg"));
}

TEST_WITH(noise_under_a_segments_name_is_set_aside, scratch_make, scratch_remove)
{
    (void)state;
    static char noise[10000];
    uint64_t seed = 9;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (char)next_random(&seed);
    leave(0, 9);
    spilling_save();
    static const char *const names[] = {"spill/00000000000000000001.seg",
                                        "spill/00000000000000500000.seg",
                                        "spill/09223372036854775799.seg"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        spilling_restore();
        scratch_put(names[i], noise, sizeof noise);
        struct spill *spill = open_usual();
        struct found found = read_all(spill);
        assert_true(i == 0 || found.count == 9);
        spilling_append_all(spill, 100, 110);
        spilling_expect(spill, 100, 110, true);
        spilling_close(spill);
        assert_int_equal(spilling_segments(), 0);
    }
}

/*
 * The image of a block, which a sender chose, contains the bytes of a whole block. These must be
 * read as data, even if the head of the block around them is damaged.
 */
TEST_WITH(an_image_that_holds_a_block_is_not_taken_for_one, scratch_make, scratch_remove)
{
    (void)state;
    leave(1, 4);
    size_t size;
    char *forged = scratch_read(spilling_segment(0), &size);
    size_t before = size_of(1) + size_of(2);
    others_remove(spilling_segment(0));
    others_remove("spill/ack");
    struct spill_settings settings = spilling_settings();
    settings.image_size = 4096;
    settings.segment_size = 20000;
    struct spill *spill = spilling_open_with(&settings);
    spilling_append_all(spill, 1, 3);
    const struct text piece = {forged + before, size - before};
    const struct spill_block block = {.number = 3, .count = spilling_count(3) + 1};
    assert_int_equal(spill_append(spill, &block, &piece, 1, NULL), SPILL_STORED);
    spilling_append_all(spill, 4, 6);
    spilling_close(spill);
    char *bytes = scratch_read(spilling_segment(0), &size);
    bytes[before + 5] ^= 1;
    scratch_put(spilling_segment(0), bytes, size);
    free(bytes);
    free(forged);
    spill = spilling_open_with(&settings);
    spilling_expect(spill, 1, 3, true);
    spilling_expect(spill, 4, 6, true);
    assert_int_equal(spilling_counts(spill).lost, block.count);
    spilling_close(spill);
}
