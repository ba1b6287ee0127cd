/*
 * Tests the labels of blocks: a spill with another label keeps the blocks, and a later one with
 * their label reads them. Files that other programs remove from an open spill are counted as lost.
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

static struct spill *open_labelled(const char *label)
{
    struct spill_settings settings = spilling_settings();
    settings.label = label;
    return spilling_open_inspected(&settings);
}

static void expect_nothing(struct spill *spill)
{
    uint64_t number;
    assert_false(spilling_read(spill, &number));
}

TEST_WITH(blocks_of_another_label_are_kept_until_theirs_is_there_again, scratch_make,
          scratch_remove)
{
    (void)state;
    struct spill *spill = open_labelled("json");
    spilling_append_all(spill, 0, 30);
    spilling_expect(spill, 0, 4, true);
    spilling_close(spill);
    uint64_t waiting = spilling_records(4, 30);

    spill = open_labelled("influx");
    assert_int_equal(spilling_counts(spill).recovered, waiting);
    assert_int_equal(spilling_counts(spill).kept, waiting);
    spilling_append_all(spill, 30, 50);
    spilling_expect(spill, 30, 45, true);
    spilling_expect(spill, 45, 50, false);
    expect_nothing(spill);
    spilling_close(spill);

    spill = open_labelled("json");
    assert_int_equal(spilling_counts(spill).kept, spilling_records(45, 50));
    assert_int_equal(spilling_counts(spill).recovered, waiting + spilling_records(45, 50));
    spilling_append(spill, 50);
    spilling_expect(spill, 50, 51, true); /* blocks that wait are read before kept ones */
    spilling_expect(spill, 4, 30, true);
    expect_nothing(spill);
    assert_int_equal(spilling_counts(spill).held, spilling_records(45, 50));
    spilling_close(spill);

    spill = open_labelled("influx");
    spilling_expect(spill, 45, 50, true);
    assert_int_equal(spilling_counts(spill).held, 0);
    assert_int_equal(spilling_counts(spill).lost, 0);
    spilling_close(spill);
    assert_int_equal(scratch_count("spill"), 2); /* the cursor and the lock */
}

TEST_WITH(an_open_spill_that_gets_another_label_keeps_what_it_has, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = open_labelled("json");
    struct spill_settings settings = spilling_settings();
    spilling_append_all(spill, 0, 9);
    spilling_expect(spill, 0, 2, true);
    settings.label = "otlp";
    assert_int_equal(spill_change(spill, &settings, NULL), 0);
    assert_int_equal(spilling_counts(spill).kept, spilling_records(2, 9));
    spilling_append_all(spill, 9, 12);
    spilling_expect(spill, 9, 12, true);
    expect_nothing(spill);
    settings.label = "json";
    assert_int_equal(spill_change(spill, &settings, NULL), 0);
    assert_int_equal(spilling_counts(spill).kept, 0);
    spilling_expect(spill, 2, 9, true);
    assert_int_equal(spilling_counts(spill).held, 0);
    spilling_close(spill);
}

TEST_WITH(blocks_without_a_label_fit_every_one, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = open_labelled(NULL);
    spilling_append_all(spill, 0, 9);
    spilling_close(spill);
    spill = open_labelled("json");
    spilling_append_all(spill, 9, 12);
    spilling_close(spill);
    spill = open_labelled("influx"); /* blocks of json are not the last ones that it reads */
    assert_int_equal(spilling_counts(spill).kept, spilling_records(9, 12));
    spilling_expect(spill, 0, 9, true);
    spilling_close(spill);
    spill = open_labelled("json");
    spilling_expect(spill, 9, 12, true);
    assert_int_equal(spilling_counts(spill).lost, 0);
    spilling_close(spill);
}

TEST_WITH(a_kept_segment_that_is_missing_or_damaged_is_counted, scratch_make, scratch_remove)
{
    (void)state;
    for (unsigned how = 0; how < 2; how++) {
        char name[80] = "";
        size_t size;
        struct spill *spill = open_labelled("json");
        spilling_append_all(spill, 0, 3);
        spilling_close(spill);
        spilling_close(open_labelled("influx"));
        struct folder *folder = folder_open(scratch_path("spill"));
        struct folder_entry entry;
        while (folder_next(folder, &entry))
            if (strstr(entry.name, ".kept") != NULL)
                snprintf(name, sizeof name, "spill/%s", entry.name);
        folder_close(folder);
        assert_true(name[0] != '\0');
        char *bytes = scratch_read(name, &size);
        bytes[size - 1] ^= 1; /* the last byte of the last block */
        if (how == 0)
            others_remove(name);
        else
            scratch_put(name, bytes, size);
        free(bytes);
        spill = open_labelled("json");
        assert_int_equal(spilling_counts(spill).recovered, spilling_records(0, 3));
        spilling_expect(spill, 0, how == 0 ? 0 : 2, true);
        expect_nothing(spill);
        assert_int_equal(spilling_counts(spill).lost, spilling_records(how == 0 ? 0 : 2, 3));
        assert_int_equal(spilling_counts(spill).held, 0);
        spilling_close(spill);
        assert_int_equal(scratch_remove(state), 0);
        assert_int_equal(scratch_make(state), 0);
    }
}

TEST_WITH(a_kept_block_that_is_larger_than_images_are_now_is_found, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = open_labelled("json");
    spilling_append_all(spill, 0, 9);
    spilling_close(spill);
    spilling_close(open_labelled("influx"));
    struct spill_settings settings = spilling_settings();
    settings.label = "json";
    settings.image_size = 100;
    spill = spilling_open_with(&settings);
    for (uint64_t number = 0; number < 9; number++) {
        uint8_t bytes[SPILLING_IMAGE];
        struct spill_block block;
        size_t size = spilling_image(number, bytes);
        enum spill_found found = spill_read(spill, bytes, settings.image_size, &block, NULL);
        assert_int_equal(found, size > 100 ? SPILL_FOUND_TOO_LARGE : SPILL_FOUND);
        assert_int_equal(block.number, number);
        assert_int_equal(block.size, size);
        acknowledge_oldest(spill);
    }
    expect_nothing(spill);
    assert_int_equal(spilling_counts(spill).lost, 0);
    spilling_close(spill);
}

TEST_WITH(kept_segments_make_room_first, scratch_make, scratch_remove)
{
    (void)state;
    uint64_t records;
    struct spill *spill = open_labelled("json");
    spilling_append_all(spill, 0, 3);
    spilling_close(spill);
    spill = open_labelled("influx");
    spilling_append(spill, 3);
    assert_true(spill_evict(spill, &records, NULL));
    assert_int_equal(records, spilling_records(0, 3));
    assert_int_equal(spilling_counts(spill).evicted, records);
    spilling_expect(spill, 3, 4, true);
    spilling_close(spill);
}

TEST_WITH(kept_segments_that_came_back_leave_the_spill_its_size, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = open_labelled("json");
    spilling_append_all(spill, 0, 9);
    spilling_close(spill);
    spilling_close(open_labelled("influx"));
    spill = open_labelled("json");
    spilling_expect(spill, 0, 9, true);
    uint64_t end = 9;
    uint64_t most = spilling_settings().size / SPILL_HEAD_SIZE;
    while (end < most && spilling_offer(spill, end, NULL) == SPILL_STORED)
        end++;
    assert_int_equal(spilling_offer(spill, end, NULL), SPILL_FULL);
    assert_true(spilling_counts(spill).bytes <= spilling_settings().size);
    spilling_close(spill);
}

/* --- files that are removed from an open spill ------------------------------------------------ */

/*
 * Skips the test on Windows, where the folder of an open file cannot be removed, and the name of a
 * removed file stays until the file is closed.
 */
static void skip_where_open_files_stay(void)
{
    if (!TEST_REMOVES_OPEN_FILES)
        skip();
}

static void remove_folder(void)
{
    struct folder *folder = folder_open(scratch_path("spill"));
    struct folder_entry entry;
    char name[80];
    while (folder_next(folder, &entry)) {
        snprintf(name, sizeof name, "spill/%s", entry.name);
        others_remove(name);
    }
    folder_close(folder);
    assert_int_equal(remove(scratch_path("spill")), 0);
}

TEST_WITH(a_folder_that_is_removed_is_made_again_and_what_it_held_is_lost, scratch_make,
          scratch_remove)
{
    (void)state;
    skip_where_open_files_stay();
    for (unsigned renamed = 0; renamed < 2; renamed++) {
        struct spill *spill = open_labelled("json");
        spilling_append_all(spill, 0, 40);
        spilling_expect(spill, 0, 3, true);
        if (renamed)
            assert_int_equal(rename(scratch_path("spill"), scratch_path("other")), 0);
        else
            remove_folder();
        spilling_tick(spill);
        assert_int_equal(spilling_counts(spill).gone, spilling_records(3, 40));
        spilling_append_all(spill, 40, 44);
        spilling_expect(spill, 40, 42, true);
        assert_int_equal(spilling_counts(spill).lost, spilling_records(3, 40));
        spilling_close(spill);
        spill = open_labelled("json");
        spilling_expect(spill, 42, 44, true);
        assert_int_equal(spilling_counts(spill).recovered, spilling_records(42, 44));
        spilling_close(spill);
        assert_int_equal(scratch_remove(state), 0);
        assert_int_equal(scratch_make(state), 0);
    }
}

TEST_WITH(what_is_gone_counts_as_gone_until_it_counts_as_lost, scratch_make, scratch_remove)
{
    (void)state;
    uint64_t number;
    struct spill *spill = open_labelled("json");
    spilling_append_all(spill, 0, 40);
    spilling_expect(spill, 0, 1, false);
    others_remove(spilling_segment(1));
    spill_check_files(spill);
    const uint64_t gone = spilling_counts(spill).gone;
    assert_true(gone != 0);
    for (unsigned i = 0; i < 2; i++) {
        while (spilling_read(spill, &number)) {
            assert_int_equal(spilling_counts(spill).gone, gone);
            assert_int_equal(spilling_counts(spill).lost, 0);
        }
        assert_int_equal(number, 39);
        spill_rewind(spill);
        assert_int_equal(spilling_counts(spill).gone, gone);
    }
    while (spilling_read(spill, &number)) {
        acknowledge_oldest(spill);
        assert_int_equal(spilling_counts(spill).gone + spilling_counts(spill).lost, gone);
    }
    assert_int_equal(spilling_counts(spill).lost, gone);
    assert_int_equal(spilling_counts(spill).held, 0);
    spilling_close(spill);
}

TEST_WITH(a_folder_that_is_replaced_by_another_spills_holds_nothing_of_this_one, scratch_make,
          scratch_remove)
{
    (void)state;
    struct spill *spill = open_labelled("json");
    /* Another spill has files of the same names, which are larger. */
    spilling_append_all(spill, 500, 580);
    spilling_close(spill);
    assert_int_equal(rename(scratch_path("spill"), scratch_path("other")), 0);
    spill = open_labelled("json");
    spilling_append_all(spill, 0, 10);
    assert_int_equal(rename(scratch_path("spill"), scratch_path("mine")), 0);
    assert_int_equal(rename(scratch_path("other"), scratch_path("spill")), 0);
    spilling_tick(spill);
    assert_int_equal(spilling_counts(spill).gone, spilling_records(0, 10));
    spilling_append_all(spill, 10, 12);
    spilling_expect(spill, 10, 12, true);
    assert_int_equal(spilling_counts(spill).lost, spilling_records(0, 10));
    spilling_close(spill);
    assert_true(spilling_segments() > 1); /* the files of the other spill are unchanged */
}

TEST_WITH(a_folder_that_another_program_has_is_written_again_when_that_has_left, scratch_make,
          scratch_remove)
{
    (void)state;
    skip_where_open_files_stay();
    struct error error;
    struct spill *spill = open_labelled("json");
    spilling_append_all(spill, 0, 3);
    remove_folder();
    struct spill *other = open_labelled("json");
    assert_int_equal(spilling_offer(spill, 3, &error), SPILL_FAILED);
    assert_non_null(strstr(error.text, "another sink or program has it open"));
    spilling_close(other);
    spilling_append(spill, 3);
    spilling_expect(spill, 3, 4, true);
    assert_int_equal(spilling_counts(spill).lost, spilling_records(0, 3));
    spilling_close(spill);
}

TEST_WITH(what_is_gone_at_the_end_is_counted_once, scratch_make, scratch_remove)
{
    (void)state;
    skip_where_open_files_stay();
    struct spill *spill = open_labelled("json");
    spilling_append_all(spill, 0, 40);
    remove_folder();
    spilling_close(spill);
    spill = open_labelled("json");
    assert_int_equal(spilling_counts(spill).recovered, 0);
    spilling_append_all(spill, 40, 44);
    spilling_expect(spill, 40, 44, true);
    spilling_close(spill);
}

static void replace(const char *segment, bool by_pipe)
{
    others_remove(segment);
    if (!by_pipe || !others_make_pipe(segment))
        scratch_make_folder(segment);
}

TEST_WITH(files_that_are_removed_cut_or_replaced_are_noticed, scratch_make, scratch_remove)
{
    (void)state;
    for (unsigned how = 0; how < (TEST_REMOVES_OPEN_FILES ? 6 : 4); how++) {
        bool of_segment = how < 2 || how > 3;
        struct spill *spill = open_labelled("json");
        spilling_append_all(spill, 0, 40);
        const char *last = spilling_segment(spilling_segments() - 1);
        if (how == 0)
            others_remove(last);
        else if (how == 1)
            others_cut(last, 0);
        else if (how > 3)
            replace(last, how == 5);
        else
            others_remove(how == 2 ? "spill/ack" : "spill/lock");
        spilling_append_all(spill, 40, 44);
        spilling_tick(spill);
        uint64_t gone = spilling_counts(spill).gone;
        assert_true(of_segment ? gone != 0 && gone < spilling_records(0, 40) : gone == 0);
        uint64_t number, records = 0;
        while (spilling_read(spill, &number)) {
            records += spilling_count(number);
            acknowledge_oldest(spill);
        }
        assert_int_equal(number, 43);
        assert_int_equal(spilling_counts(spill).lost, gone);
        assert_int_equal(records + gone, spilling_records(0, 44));
        spilling_close(spill);
        assert_true(scratch_has("spill/ack") && scratch_has("spill/lock"));
        assert_int_equal(scratch_remove(state), 0);
        assert_int_equal(scratch_make(state), 0);
    }
}
