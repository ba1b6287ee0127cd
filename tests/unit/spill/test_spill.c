/*
 * Tests a spill without damage: order, acknowledgements, limits, restarts, and which sink may use
 * the folder.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/spill/read_blocks.h"
#include "tests/support/spill/spilling.h"
#include "tests/support/test.h"

TEST_WITH(blocks_are_read_as_they_were_appended_and_in_their_order, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 100);
    spilling_expect(spill, 0, 100, true);
    spilling_append_all(spill, 100, 110);
    spilling_expect(spill, 100, 110, true);
    uint64_t number;
    assert_false(spilling_read(spill, &number));
    struct spill_counts counts = spilling_counts(spill);
    assert_int_equal(counts.acknowledged, spilling_records(0, 110));
    assert_int_equal(counts.held, 0);
    spilling_close(spill);
}

static char version_of_segment(size_t place)
{
    size_t size;
    char *bytes = scratch_read(spilling_segment(place), &size);
    assert_true(size > SPILL_HEAD_SIZE && memcmp(bytes, "SLB", 3) == 0);
    char version = bytes[3];
    free(bytes);
    return version;
}

TEST_WITH(blocks_with_a_label_and_those_of_earlier_versions_are_read, scratch_make, scratch_remove)
{
    (void)state;
    struct spill_settings settings = spilling_settings();
    struct spill *spill = spilling_open_with(&settings);
    spilling_append_all(spill, 0, 9);
    spilling_close(spill);
    settings.label = "json\napplication/x-ndjson\nhttp\n";
    settings.folder = scratch_path("spill");
    spill = spilling_open_with(&settings);
    spilling_append_all(spill, 9, 12);
    spilling_expect(spill, 0, 3, false);
    spilling_close(spill);
    assert_int_equal(version_of_segment(0), '1');
    assert_int_equal(version_of_segment(spilling_segments() - 1), '2');
    settings.folder = scratch_path("spill");
    spill = spilling_open_inspected(&settings);
    spilling_expect(spill, 0, 12, true);
    assert_int_equal(spilling_counts(spill).lost, 0);
    spilling_close(spill);
}

TEST_WITH(a_block_can_be_as_large_as_the_settings_say, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    char large[SPILLING_IMAGE];
    char found[SPILLING_IMAGE];
    memset(large, 'S', sizeof large);
    const struct text piece = {large, sizeof large};
    struct spill_block block = {.number = 1, .count = UINT32_MAX};
    assert_int_equal(spill_append(spill, &block, &piece, 1, NULL), SPILL_STORED);
    assert_int_equal(spill_read(spill, found, sizeof found - 1, &block, NULL),
                     SPILL_FOUND_TOO_LARGE);
    assert_int_equal(block.size, sizeof found);
    spill_rewind(spill);
    assert_int_equal(spill_read(spill, found, sizeof found, &block, NULL), SPILL_FOUND);
    assert_memory_equal(found, large, sizeof large);
    assert_int_equal(block.count, UINT32_MAX);
    acknowledge_oldest(spill);
    spilling_close(spill);
}

TEST_WITH(acknowledged_segments_are_removed_and_the_folder_is_empty_at_the_end, scratch_make,
          scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 100);
    size_t before = spilling_segments();
    assert_in_range(before, 5, 20);
    spilling_expect(spill, 0, 50, true);
    assert_in_range(spilling_segments(), 1, before - 2);
    spilling_expect(spill, 50, 100, true);
    spilling_tick(spill);
    assert_int_equal(spilling_segments(), 0);
    assert_int_equal(spilling_counts(spill).bytes, 0);
    assert_int_equal(spill_due(spill), INT64_MAX);
    spilling_append_all(spill, 100, 103);
    spilling_expect(spill, 100, 103, true);
    spilling_close(spill);
    assert_int_equal(spilling_segments(), 0);
}

TEST_WITH(what_was_not_acknowledged_is_read_again_after_a_rewind, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 60);
    spilling_expect(spill, 0, 20, true);
    spilling_expect(spill, 20, 55, false);
    spill_rewind(spill);
    spilling_expect(spill, 20, 60, true);
    assert_int_equal(spilling_counts(spill).held, 0);
    spilling_close(spill);
}

TEST_WITH(no_more_is_read_ahead_than_the_window_holds, scratch_make, scratch_remove)
{
    (void)state;
    struct spill_settings settings = spilling_settings();
    settings.window = 3;
    struct spill *spill = spilling_open_with(&settings);
    uint64_t number;
    spilling_append_all(spill, 0, 10);
    spilling_expect(spill, 0, 3, false);
    assert_false(spilling_read(spill, &number));
    acknowledge_oldest(spill);
    spilling_expect(spill, 3, 4, false);
    assert_false(spilling_read(spill, &number));
    spilling_close(spill);
}

TEST_WITH(the_next_run_goes_on_where_the_last_one_was, scratch_make, scratch_remove)
{
    (void)state;
    uint64_t next = 0;
    uint64_t end = 0;
    for (unsigned run = 0; run < 20; run++) {
        struct spill *spill = spilling_open();
        assert_int_equal(spilling_counts(spill).recovered, spilling_records(next, end));
        spilling_append_all(spill, end, end + 3 * run);
        end += (uint64_t)3 * run;
        uint64_t until = next + 2 * run < end ? next + 2 * run : end;
        spilling_expect(spill, next, until, true);
        next = until;
        if (until < end)
            spilling_expect(spill, until, until + 1, false);
        spilling_close(spill);
    }
    struct spill *spill = spilling_open();
    spilling_expect(spill, next, end, true);
    assert_int_equal(spilling_counts(spill).lost, 0);
    spilling_close(spill);
    assert_int_equal(spilling_segments(), 0);
}

TEST_WITH(each_run_has_an_epoch_of_its_own_and_blocks_keep_theirs, scratch_make, scratch_remove)
{
    (void)state;
    char bytes[SPILLING_IMAGE];
    struct spill_block block;
    struct spill *spill = spilling_open();
    uint64_t first = spill_epoch(spill);
    spilling_append(spill, 1);
    spilling_close(spill);
    spill = spilling_open();
    assert_int_not_equal(spill_epoch(spill), first);
    spilling_append(spill, 1);
    assert_int_equal(spill_read(spill, bytes, sizeof bytes, &block, NULL), SPILL_FOUND);
    assert_int_equal(block.epoch, first);
    assert_int_equal(spill_read(spill, bytes, sizeof bytes, &block, NULL), SPILL_FOUND);
    assert_int_equal(block.epoch, spill_epoch(spill));
    spilling_close(spill);
}

TEST_WITH(a_full_spill_refuses_until_a_segment_is_acknowledged, scratch_make, scratch_remove)
{
    (void)state;
    struct spill_settings settings = spilling_settings();
    settings.size = 5 * SPILLING_SEGMENT;
    struct spill *spill = spilling_open_with(&settings);
    struct error error;
    uint64_t end = 0;
    while (spilling_offer(spill, end, &error) == SPILL_STORED)
        end++;
    assert_non_null(strstr(error.text, "spill_size= is reached"));
    assert_true(spilling_counts(spill).bytes <= settings.size);
    assert_true(spilling_counts(spill).bytes + 64 + SPILLING_IMAGE > settings.size);
    assert_int_equal(spilling_offer(spill, end, NULL), SPILL_FULL);
    uint64_t next = 0;
    while (spilling_offer(spill, end, NULL) == SPILL_FULL) {
        spilling_expect(spill, next, next + 1, true);
        next++;
    }
    spilling_expect(spill, next, end + 1, true);
    spilling_close(spill);
}

TEST_WITH(evicting_removes_the_oldest_segment_and_says_what_that_costs, scratch_make,
          scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    uint64_t records;
    uint64_t number;
    spilling_append_all(spill, 0, 60);
    uint64_t bytes = spilling_counts(spill).bytes;
    size_t segments = spilling_segments();
    assert_true(spill_evict(spill, &records, NULL));
    assert_int_equal(spilling_segments(), segments - 1);
    assert_true(spilling_counts(spill).bytes < bytes);
    assert_true(spilling_read(spill, &number));
    assert_int_equal(records, spilling_records(0, number));
    spilling_expect(spill, number + 1, 60, false);
    while (spilling_counts(spill).acknowledged < spilling_records(number, 60))
        acknowledge_oldest(spill);
    spilling_tick(spill);
    assert_false(spill_evict(spill, &records, NULL));
    assert_int_equal(spilling_counts(spill).evicted, spilling_records(0, number));
    spilling_append_all(spill, 60, 62);
    assert_true(spill_evict(spill, &records, NULL));
    assert_int_equal(records, spilling_records(60, 62));
    assert_int_equal(spilling_counts(spill).held, 0);
    spilling_append(spill, 62);
    spilling_expect(spill, 62, 63, true);
    spilling_close(spill);
}

/*
 * The cursor must already show the eviction. Otherwise the next run would count the evicted records
 * as lost.
 */
TEST_WITH(after_a_kill_the_next_run_does_not_miss_what_was_evicted, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    uint64_t records;
    spilling_append_all(spill, 0, 60);
    assert_true(spill_evict(spill, &records, NULL));
    spilling_save();
    spilling_close(spill);
    spilling_restore();
    spill = spilling_open();
    uint64_t number;
    assert_true(spilling_read(spill, &number));
    assert_int_equal(records, spilling_records(0, number));
    assert_int_equal(spilling_counts(spill).recovered, spilling_records(number, 60));
    assert_int_equal(spilling_counts(spill).lost, 0);
    spilling_close(spill);
}

TEST_WITH(what_was_read_of_an_evicted_segment_can_be_acknowledged_but_not_read_again, scratch_make,
          scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    uint64_t records;
    uint64_t evicted = 0;
    spilling_append_all(spill, 0, 60);
    spilling_expect(spill, 0, 5, false);
    assert_true(spill_evict(spill, &records, NULL));
    evicted += records;
    acknowledge_oldest(spill);
    assert_int_equal(spilling_counts(spill).acknowledged, spilling_records(0, 1));
    spill_rewind(spill);
    evicted += spilling_records(1, 5);
    assert_int_equal(spilling_counts(spill).evicted, evicted);
    uint64_t number;
    assert_true(spilling_read(spill, &number));
    assert_int_equal(spilling_records(1, number), evicted);
    acknowledge_oldest(spill);
    spilling_expect(spill, number + 1, 60, true);
    assert_int_equal(spilling_counts(spill).held, 0);
    spilling_close(spill);
}

TEST_WITH(a_folder_that_is_in_use_is_refused_as_a_configuration, scratch_make, scratch_remove)
{
    (void)state;
    const struct spill_settings settings = spilling_settings();
    struct spill *second;
    struct error error;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 3);
    assert_int_equal(spill_open(&settings, &second, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(error.text, "has it open"));
    spilling_expect(spill, 0, 3, true);
    spilling_close(spill);
    spilling_close(spilling_open());
}

TEST_WITH(sizes_that_do_not_fit_each_other_are_refused_as_a_configuration, scratch_make,
          scratch_remove)
{
    (void)state;
    struct spill *spill;
    struct error error;
    struct spill_settings settings = spilling_settings();
    settings.size = 4 * (SPILL_HEAD_SIZE + SPILLING_IMAGE) - 1;
    settings.segment_size = 0;
    assert_int_equal(spill_open(&settings, &spill, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    settings.size++;
    spill = spilling_open_with(&settings);
    spilling_append_all(spill, 0, 4);
    spilling_expect(spill, 0, 4, true);
    spilling_close(spill);
}

TEST_WITH(a_folder_that_cannot_be_made_is_an_output_that_cannot_be_created, scratch_make,
          scratch_remove)
{
    (void)state;
    struct spill *spill;
    struct error error;
    struct spill_settings settings = spilling_settings();
    scratch_put("file", "", 0);
    settings.folder = scratch_path("file/spill");
    assert_int_equal(spill_open(&settings, &spill, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    settings.folder = scratch_path("a/b/c/");
    spilling_close(spilling_open_with(&settings));
    assert_true(scratch_has("a/b/c/lock"));
}

TEST_WITH(other_settings_are_taken_while_it_is_open, scratch_make, scratch_remove)
{
    (void)state;
    struct spill_settings settings = spilling_settings();
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 40);
    spilling_expect(spill, 0, 10, true);
    spilling_expect(spill, 10, 20, false);
    uint64_t epoch = spill_epoch(spill);
    settings.size = spilling_counts(spill).bytes;
    settings.window = 2;
    assert_int_equal(spill_change(spill, &settings, NULL), 0);
    assert_int_equal(spill_epoch(spill), epoch);
    assert_int_equal(spilling_offer(spill, 40, NULL), SPILL_FULL);
    settings.size = 100;
    assert_int_equal(spill_change(spill, &settings, NULL), -1);
    uint64_t number;
    spilling_expect(spill, 10, 12, false);
    assert_false(spilling_read(spill, &number));
    settings = spilling_settings();
    assert_int_equal(spill_change(spill, &settings, NULL), 0);
    spilling_append_all(spill, 40, 300);
    spilling_expect(spill, 10, 300, true);
    spilling_close(spill);
}

TEST_WITH(a_disk_without_its_reserve_is_full, scratch_make, scratch_remove)
{
    (void)state;
    struct spill_settings settings = spilling_settings();
    struct error error = {0};
    settings.reserve.bytes = UINT64_MAX;
    struct spill *spill = spilling_open_with(&settings);
    assert_int_equal(spilling_offer(spill, 0, &error), SPILL_FULL);
    assert_non_null(strstr(error.text, "--min-free"));
    assert_int_equal(spilling_counts(spill).held, 0);
    settings.reserve.bytes = 0;
    assert_int_equal(spill_change(spill, &settings, NULL), 0);
    spilling_append_all(spill, 0, 10);
    spilling_expect(spill, 0, 10, true);
    spilling_close(spill);
}

TEST_WITH(blocks_reach_the_disk_and_the_cursor_is_written_when_that_is_due, scratch_make,
          scratch_remove)
{
    (void)state;
    struct spill_settings settings = spilling_settings();
    settings.sync = SPILL_SYNC_INTERVAL;
    settings.sync_interval_ns = INT64_C(1000000000);
    settings.cursor_interval_ns = INT64_C(3000000000);
    struct spill *spill = spilling_open_with(&settings);
    assert_int_equal(spill_due(spill), INT64_MAX);
    spilling_append_all(spill, 0, 2);
    int64_t first = spill_due(spill) - settings.sync_interval_ns;
    assert_true(spill_tick(spill, spill_due(spill), NULL));
    /*
     * The cursor must be written soon, because it does not have the end of the stored blocks yet.
     */
    assert_int_equal(spill_due(spill), first + settings.cursor_interval_ns);
    spilling_expect(spill, 0, 1, true);
    assert_int_equal(spill_due(spill), first + settings.cursor_interval_ns);
    assert_true(spill_tick(spill, first + settings.cursor_interval_ns - 1, NULL));
    assert_int_equal(spill_due(spill), first + settings.cursor_interval_ns);
    assert_true(spill_tick(spill, first + settings.cursor_interval_ns, NULL));
    assert_int_equal(spill_due(spill), INT64_MAX);
    spilling_close(spill);
}

TEST_WITH(every_way_to_sync_keeps_every_block, scratch_make, scratch_remove)
{
    (void)state;
    static const enum spill_sync ways[] = {SPILL_SYNC_NEVER, SPILL_SYNC_INTERVAL, SPILL_SYNC_CLOSE,
                                           SPILL_SYNC_ALWAYS};
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
        struct spill_settings settings = spilling_settings();
        settings.sync = ways[way];
        struct spill *spill = spilling_open_with(&settings);
        spilling_append_all(spill, 0, 30);
        spilling_tick(spill);
        spilling_expect(spill, 0, 10, true);
        spilling_close(spill);
        spill = spilling_open_with(&settings);
        spilling_append_all(spill, 30, 40);
        spilling_expect(spill, 10, 40, true);
        spilling_close(spill);
        assert_int_equal(spilling_segments(), 0);
    }
}
