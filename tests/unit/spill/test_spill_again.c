/*
 * Tests whether a block that is read may have been sent before: after a run that ended, after a
 * killed run, after the loss of the cursor, and for blocks that are stored while they are in
 * flight.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/platform/file_system.h"
#include "collector/platform/machine.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/spill/read_blocks.h"
#include "tests/support/spill/spilling.h"
#include "tests/support/test.h"

/*
 * Reads and acknowledges all blocks. Returns how many of them are marked as perhaps sent. Asserts
 * that these are the first ones.
 */
static unsigned count_again(struct spill *spill, unsigned expected)
{
    char bytes[SPILLING_IMAGE];
    struct spill_block block;
    unsigned again = 0;
    for (unsigned i = 0; i < expected; i++) {
        assert_int_equal(spill_read(spill, bytes, sizeof bytes, &block, NULL), SPILL_FOUND);
        acknowledge_oldest(spill);
        if (block.again)
            assert_int_equal(again++, i);
    }
    assert_int_equal(spill_read(spill, bytes, sizeof bytes, &block, NULL), SPILL_FOUND_NONE);
    return again;
}

static struct spill *open_synced(enum spill_sync sync)
{
    struct spill_settings settings = spilling_settings();
    settings.sync = sync;
    return spilling_open_with(&settings);
}

/*
 * Restores the files of the spill as they were before the close, as after a kill, and opens them as
 * the next run does.
 */
static struct spill *kill(struct spill *spill, enum spill_sync sync)
{
    spilling_save();
    spilling_close(spill);
    spilling_restore();
    return open_synced(sync);
}

TEST_WITH(only_blocks_noted_as_sent_are_marked_again_in_the_next_run, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 30);
    spilling_expect(spill, 0, 5, true);
    spilling_expect(spill, 5, 15, false);
    spill_note_sent(spill, read_block_position(spill, 3));
    spill_note_sent(spill, read_block_position(spill, 1));
    spilling_close(spill);
    spill = spilling_open();
    spilling_append_all(spill, 30, 40);
    assert_int_equal(count_again(spill, 35), 4);
    spilling_close(spill);
}

TEST_WITH(what_was_sent_comes_again_after_a_rewind, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 10);
    spilling_expect(spill, 0, 6, false);
    spill_rewind(spill);
    spilling_expect(spill, 0, 6, false);
    spill_note_sent(spill, read_block_position(spill, 2));
    spill_rewind(spill);
    assert_int_equal(count_again(spill, 10), 3);
    spilling_close(spill);
}

TEST_WITH(a_block_acknowledged_before_an_older_one_comes_again_as_sent, scratch_make,
          scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 10);
    spilling_expect(spill, 0, 6, false);
    size_t room = spill_room(spill);
    spill_acknowledge(spill, read_block_position(spill, 2));
    assert_int_equal(spilling_counts(spill).acknowledged, 0);
    assert_int_equal(spill_room(spill), room);
    spill_acknowledge(spill, read_block_position(spill, 0));
    assert_int_equal(spilling_counts(spill).acknowledged, spilling_count(0));
    spill_rewind(spill);
    spilling_expect(spill, 1, 5, false);
    spill_acknowledge(spill, read_block_position(spill, 0));
    spill_acknowledge(spill, read_block_position(spill, 2));
    spilling_close(spill);
    spill = spilling_open();
    assert_int_equal(count_again(spill, 8), 3);
    assert_int_equal(spilling_counts(spill).held, 0);
    spilling_close(spill);
}

TEST_WITH(after_a_kill_all_that_was_read_may_have_been_sent, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 30);
    spilling_expect(spill, 0, 4, true);
    spilling_tick(spill);
    spilling_expect(spill, 4, 11, false);
    spill = kill(spill, SPILL_SYNC_NEVER);
    assert_int_equal(count_again(spill, 26), 7);
    spilling_close(spill);
}

/*
 * The cursor on disk is a little ahead of the blocks that were sent. So a sync is not needed for
 * each block.
 */
TEST_WITH(where_it_is_synced_the_cursor_runs_a_little_ahead, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = open_synced(SPILL_SYNC_INTERVAL);
    spilling_append_all(spill, 0, 1000);
    spilling_expect(spill, 0, 100, false);
    spill = kill(spill, SPILL_SYNC_INTERVAL);
    assert_in_range(count_again(spill, 1000), 100, 250);
    spilling_close(spill);
}

TEST_WITH(blocks_are_new_that_are_stored_where_the_cursor_ran_ahead, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = open_synced(SPILL_SYNC_INTERVAL);
    spilling_append_all(spill, 0, 3);
    spilling_expect(spill, 0, 3, false);
    spill = kill(spill, SPILL_SYNC_INTERVAL);
    spilling_append_all(spill, 3, 8);
    assert_int_equal(count_again(spill, 8), 3);
    spilling_close(spill);
}

TEST_WITH(without_a_cursor_all_may_have_been_sent, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 20);
    spilling_close(spill);
    assert_true(folder_remove_file(scratch_path("spill/ack")));
    spill = spilling_open();
    assert_int_equal(count_again(spill, 20), 20);
    spilling_close(spill);
}

/* --- kept blocks that are read again ---------------------------------------------------------- */

static struct spill *open_labelled(const char *label)
{
    struct spill_settings settings = spilling_settings();
    settings.label = label;
    return spilling_open_with(&settings);
}

/* Leaves blocks with the label "json", of which the first three may have been sent. */
static void leave_sent(unsigned blocks)
{
    struct spill *spill = open_labelled("json");
    spilling_append_all(spill, 0, blocks);
    spilling_expect(spill, 0, 5, false);
    spill_note_sent(spill, read_block_position(spill, 2));
    spilling_close(spill);
}

TEST_WITH(what_was_sent_before_it_was_kept_comes_again_as_sent, scratch_make, scratch_remove)
{
    (void)state;
    leave_sent(30); /* in several segments */
    spilling_close(open_labelled("influx"));
    struct spill *spill = open_labelled("json");
    assert_int_equal(count_again(spill, 30), 3);
    spilling_close(spill);
}

TEST_WITH(what_a_change_of_the_label_keeps_comes_again_as_sent, scratch_make, scratch_remove)
{
    (void)state;
    struct spill_settings settings = spilling_settings();
    leave_sent(30);
    struct spill *spill = open_labelled("json");
    settings.label = "influx";
    assert_int_equal(spill_change(spill, &settings, NULL), 0);
    spilling_append_all(spill, 30, 35);
    spilling_expect(spill, 30, 35, true);
    settings.label = "json";
    assert_int_equal(spill_change(spill, &settings, NULL), 0);
    assert_int_equal(count_again(spill, 30), 3);
    spilling_close(spill);
}

/*
 * The file of the kept blocks is removed when one of them is read. The blocks must still count as
 * sent.
 */
TEST_WITH(after_a_kill_what_returned_still_counts_as_sent, scratch_make, scratch_remove)
{
    (void)state;
    uint64_t number;
    leave_sent(6); /* in one segment */
    spilling_close(open_labelled("influx"));
    struct spill *spill = open_labelled("json");
    assert_true(spilling_read(spill, &number));
    spilling_save();
    spilling_close(spill);
    spilling_restore();
    spill = open_labelled("json");
    assert_int_equal(count_again(spill, 6), 3);
    spilling_close(spill);
}

/* --- evicted blocks --------------------------------------------------------------------------- */

TEST_WITH(of_evicted_blocks_those_that_were_sent_before_are_counted, scratch_make, scratch_remove)
{
    (void)state;
    uint64_t records;
    leave_sent(60); /* in more than two segments */
    struct spill *spill = open_labelled("json");
    spilling_expect(spill, 0, 1, true);
    assert_true(spill_evict(spill, &records, NULL));
    assert_true(records > spilling_records(1, 3));
    assert_int_equal(spilling_counts(spill).evicted_sent, spilling_records(1, 3));
    assert_true(spill_evict(spill, &records, NULL));
    assert_int_equal(spilling_counts(spill).evicted_sent, spilling_records(1, 3));
    spilling_close(spill);
}

TEST_WITH(of_evicted_kept_blocks_those_that_were_sent_before_are_counted, scratch_make,
          scratch_remove)
{
    (void)state;
    uint64_t records;
    leave_sent(60);
    struct spill *spill = open_labelled("influx");
    for (unsigned i = 0; i < 2; i++) {
        assert_true(spill_evict(spill, &records, NULL));
        assert_int_equal(spilling_counts(spill).evicted_sent, spilling_records(0, 3));
    }
    spilling_close(spill);
}

/* --- blocks that are also in memory ----------------------------------------------------------- */

static enum spill_stored append_read(struct spill *spill, uint64_t number, struct error *error)
{
    uint8_t bytes[SPILLING_IMAGE];
    const struct text piece = {(const char *)bytes, spilling_image(number, bytes)};
    const struct spill_block block = {
        .number = number, .count = spilling_count(number), .layout = (uint32_t)(number % 7)};
    uint64_t position;
    return spill_append_read(spill, &block, &piece, 1, &position, error);
}

TEST_WITH(what_is_stored_as_read_is_not_read_by_this_run_and_is_there_for_the_next_one,
          scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 20);
    spilling_expect(spill, 0, 20, true);
    for (uint64_t number = 20; number < 50; number++)
        assert_int_equal(append_read(spill, number, NULL), SPILL_STORED);
    spilling_append_all(spill, 50, 60);
    spilling_expect(spill, 50, 55, false);
    for (unsigned i = 0; i < 10; i++)
        acknowledge_oldest(spill);
    spilling_tick(spill);
    assert_int_equal(spilling_counts(spill).acknowledged, spilling_records(0, 30));
    spill = kill(spill, SPILL_SYNC_NEVER);
    assert_int_equal(spilling_counts(spill).recovered, spilling_records(30, 60));
    spilling_expect(spill, 30, 60, true);
    assert_int_equal(spilling_counts(spill).lost, 0);
    spilling_close(spill);
}

TEST_WITH(what_is_stored_as_read_takes_room_in_the_window, scratch_make, scratch_remove)
{
    (void)state;
    struct error error;
    struct spill_settings settings = spilling_settings();
    settings.window = 3;
    struct spill *spill = spilling_open_with(&settings);
    for (uint64_t number = 0; number < 3; number++)
        assert_int_equal(append_read(spill, number, &error), SPILL_STORED);
    assert_int_equal(append_read(spill, 3, &error), SPILL_FULL);
    acknowledge_oldest(spill);
    assert_int_equal(append_read(spill, 3, &error), SPILL_STORED);
    spilling_append(spill, 4);
    spill_rewind(spill);
    spilling_expect(spill, 1, 4, true);
    spilling_expect(spill, 4, 5, true);
    spilling_close(spill);
}

TEST_WITH(a_block_is_held_until_its_segment_is_evicted, scratch_make, scratch_remove)
{
    (void)state;
    uint64_t records;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 60);
    spilling_expect(spill, 0, 60, false);
    assert_true(spill_holds(spill, read_block_position(spill, 0)));
    assert_true(spill_evict(spill, &records, NULL));
    assert_false(spill_holds(spill, read_block_position(spill, 0)));
    assert_true(spill_holds(spill, read_block_position(spill, 59)));
    spilling_close(spill);
}

/*
 * Writes another format and a valid checksum to each of the cursor's two slots, which are 4,096
 * bytes apart.
 */
TEST_WITH(a_cursor_of_another_format_is_ignored, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 9);
    spilling_expect(spill, 0, 2, true);
    spilling_close(spill);
    size_t size;
    char *cursor = scratch_read("spill/ack", &size);
    for (size_t slot = 0; slot + 64 <= size; slot += 4096) {
        uint8_t *bytes = (uint8_t *)cursor + slot;
        memcpy(bytes, "SLA2", 4);
        put_little_u32(bytes + 60, crc32c(0, bytes, 60));
    }
    scratch_put("spill/ack", cursor, size);
    free(cursor);
    spill = spilling_open();
    spilling_expect(spill, 0, 9, true);
    spilling_close(spill);
}
