/*
 * Tests the results of inspecting a spill. Each test also asserts that the inspection changes no
 * file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/platform/others.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/spill/spilling.h"
#include "tests/support/test.h"

#define COUNT 40

static struct spill_inspection inspect(void)
{
    const struct spill_settings settings = spilling_settings();
    return spilling_inspect(&settings, INT64_MAX);
}

static void leave(void)
{
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, COUNT);
    spilling_close(spill);
}

TEST_WITH(a_folder_that_is_not_there_is_not_made, scratch_make, scratch_remove)
{
    (void)state;
    struct spill_inspection found = inspect();
    assert_false(found.is_there);
    assert_false(scratch_has("spill"));
    assert_int_equal(found.records, 0);
    assert_true(found.knows_free && found.free > 0);
}

TEST_WITH(what_waits_is_counted, scratch_make, scratch_remove)
{
    (void)state;
    leave();
    struct spill_inspection found = inspect();
    assert_true(found.is_there);
    assert_false(found.is_held);
    assert_int_equal(found.blocks, COUNT);
    assert_int_equal(found.records, spilling_records(0, COUNT));
    assert_int_equal(found.lost + found.gaps + found.too_large + found.unverified, 0);
    assert_true(found.bytes > COUNT * SPILL_HEAD_SIZE);
}

TEST_WITH(what_was_acknowledged_does_not_wait, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, COUNT);
    spilling_expect(spill, 0, COUNT - 3, true);
    spilling_close(spill);
    struct spill_inspection found = inspect();
    assert_int_equal(found.blocks, 3);
    assert_int_equal(found.records, spilling_records(COUNT - 3, COUNT));
}

TEST_WITH(damage_is_counted_by_its_places_and_records, scratch_make, scratch_remove)
{
    (void)state;
    leave();
    size_t size;
    for (unsigned segment = 0; segment < 2; segment++) {
        char *bytes = scratch_read(spilling_segment(segment), &size);
        bytes[SPILL_HEAD_SIZE] ^= 1; /* in the image of the segment's first block */
        scratch_put(spilling_segment(segment), bytes, size);
        free(bytes);
    }
    struct spill_inspection found = inspect();
    assert_int_equal(found.gaps, 2);
    assert_int_equal(found.blocks, COUNT - 2);
    assert_int_equal(found.records + found.lost, spilling_records(0, COUNT));
    assert_true(found.lost >= 2);
}

TEST_WITH(when_the_time_is_over_blocks_are_counted_and_not_verified, scratch_make, scratch_remove)
{
    (void)state;
    leave();
    const struct spill_settings settings = spilling_settings();
    struct spill_inspection found = spilling_inspect(&settings, INT64_MIN);
    assert_int_equal(found.records, spilling_records(0, COUNT));
    assert_int_equal(found.unverified, COUNT);
}

TEST_WITH(blocks_that_are_larger_than_they_are_now_are_counted, scratch_make, scratch_remove)
{
    (void)state;
    leave();
    struct spill_settings settings = spilling_settings();
    settings.image_size = SPILLING_IMAGE / 2;
    struct spill_inspection found = spilling_inspect(&settings, INT64_MAX);
    assert_int_equal(found.blocks, COUNT);
    assert_true(found.too_large != 0 && found.too_large < found.records);
    settings.image_size = 1;
    found = spilling_inspect(&settings, INT64_MAX);
    assert_int_equal(found.too_large, spilling_records(0, COUNT));
}

TEST_WITH(a_program_that_has_it_open_is_noticed_and_not_disturbed, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, COUNT);
    struct spill_inspection found = inspect();
    assert_true(found.is_held);
    assert_int_equal(found.records, spilling_records(0, COUNT));
    spilling_expect(spill, 0, COUNT, true);
    spilling_close(spill);
    assert_false(inspect().is_held);
}

TEST_WITH(what_an_opening_refuses_an_inspection_refuses_too, scratch_make, scratch_remove)
{
    (void)state;
    struct spill_settings settings = spilling_settings();
    struct spill_inspection found;
    struct error error;
    settings.size = settings.image_size;
    assert_int_equal(spill_inspect(&settings, 0, &found, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    settings = spilling_settings();
    scratch_put("spill", "a file", 6);
    assert_int_equal(spill_inspect(&settings, 0, &found, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    settings.folder = scratch_path("spill/below");
    assert_int_equal(spill_inspect(&settings, 0, &found, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
}
