/*
 * Tests that no block is lost that can be read later, when parts of segments cannot be read for a
 * moment or for ever.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/spill/segment.h"
#include "collector/spill/walk.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/spill/read_blocks.h"
#include "tests/support/spill/spilling.h"
#include "tests/support/test.h"

ssize_t __real_pread(int fd, void *bytes, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset);

/*
 * The bytes from `first` to `end` - 1 of a file cannot be read. `file` is the inode of this file,
 * or 0 for any file. The cursor can be read, because its file ends before `first`.
 */
static struct {
    off_t first, end;
    ino_t file;
} bad;

/* The next `failed` reads at this offset fail, in any file. */
static struct {
    off_t offset;
    unsigned failed;
} shaky;

static bool is_shaky(off_t offset)
{
    if (offset != shaky.offset || shaky.failed == 0)
        return false;
    shaky.failed--;
    return true;
}

/* After `passed` more reads, the next `failed` reads fail, at any offset. */
static struct {
    unsigned passed, failed;
} next_reads;

static bool is_bad(int fd)
{
    struct stat status;
    return bad.file == 0 || (fstat(fd, &status) == 0 && status.st_ino == bad.file);
}

ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset)
{
    if ((offset < bad.end && offset + (off_t)size > bad.first && is_bad(fd)) || is_shaky(offset)) {
        errno = EIO;
        return -1;
    }
    if (next_reads.passed != 0) {
        next_reads.passed--;
    } else if (next_reads.failed != 0) {
        next_reads.failed--;
        errno = EIO;
        return -1;
    }
    return __real_pread(fd, bytes, size, offset);
}

static size_t size_of(const char *name)
{
    size_t size;
    free(scratch_read(name, &size));
    return size;
}

#define BLOCKS UINT64_C(200)

/* The last segment has at least this number of bytes, so it is read in several parts. */
#define LAST ((size_t)30000)

static struct spill_settings one_segment(void)
{
    struct spill_settings settings = spilling_settings();
    settings.segment_size = 200000;
    return settings;
}

static void open_while_bad(size_t first, size_t end)
{
    const struct spill_settings settings = one_segment();
    char name[120];
    struct spill *spill = spilling_open_with(&settings);
    spilling_append_all(spill, 0, BLOCKS);
    spilling_close(spill);
    assert_int_equal(spilling_segments(), 1);
    snprintf(name, sizeof name, "%s", spilling_segment(0));
    size_t size = size_of(name);
    assert_true(size > LAST);
    bad.first = (off_t)first;
    bad.end = (off_t)(end < size ? end : size);
    spill = spilling_open_with(&settings);
    bad.first = bad.end = 0;
    assert_int_equal(size_of(name), size);
    spilling_close(spill);
    spill = spilling_open_with(&settings);
    assert_int_equal(spilling_counts(spill).recovered, spilling_records(0, BLOCKS));
    spilling_expect(spill, 0, BLOCKS, true);
    assert_int_equal(spilling_counts(spill).lost, 0);
    spilling_close(spill);
    assert_int_equal(scratch_remove(NULL), 0);
    assert_int_equal(scratch_make(NULL), 0);
}

/*
 * The file is not cut, because the blocks that cannot be read may be whole. All of them are found
 * when the disk can be read again.
 */
TEST_WITH(where_the_rest_of_the_last_segment_cannot_be_read_nothing_is_cut_off, scratch_make,
          scratch_remove)
{
    (void)state;
    for (size_t first = LAST / 10; first < LAST; first += LAST / 10)
        open_while_bad(first, SIZE_MAX);
}

TEST_WITH(where_some_of_its_middle_cannot_be_read_nothing_is_cut_off, scratch_make, scratch_remove)
{
    (void)state;
    for (size_t first = LAST / 10; first < LAST; first += LAST / 10)
        open_while_bad(first, first + 5000);
}

/* --- successive parts ------------------------------------------------------------------------- */

/* Opens a spill, reads its first block, and makes the head of the next block unreadable. */
static struct spill *open_at_bad_head(uint64_t *number)
{
    const struct spill_settings settings = one_segment();
    uint8_t bytes[SPILLING_IMAGE];
    struct spill *spill = spilling_open_with(&settings);
    spilling_append_all(spill, 0, BLOCKS);
    assert_true(spilling_read(spill, number));
    acknowledge_oldest(spill);
    bad.first = (off_t)(SPILL_HEAD_SIZE + spilling_image(0, bytes));
    bad.end = bad.first + 1;
    return spill;
}

/* Reads and acknowledges all blocks that can be read. Returns the number of lost records. */
static uint64_t read_to_end(struct spill *spill)
{
    uint8_t bytes[SPILLING_IMAGE];
    struct spill_block block;
    enum spill_found found;
    while ((found = spill_read(spill, bytes, sizeof bytes, &block, NULL)) != SPILL_FOUND_NONE)
        if (found == SPILL_FOUND)
            acknowledge_oldest(spill);
    return spilling_counts(spill).lost;
}

TEST_WITH(a_part_directly_after_an_unreadable_one_is_read_three_times_too, scratch_make,
          scratch_remove)
{
    (void)state;
    uint64_t lost[2];
    for (size_t i = 0; i < 2; i++) {
        uint64_t number;
        struct spill *spill = open_at_bad_head(&number);
        if (i == 1) {
            shaky.offset = bad.first + (off_t)SEGMENT_WINDOW_MIN;
            shaky.failed = 2;
        }
        lost[i] = read_to_end(spill);
        assert_int_equal(shaky.failed, 0);
        bad.first = bad.end = 0;
        spilling_close(spill);
        assert_int_equal(scratch_remove(NULL), 0);
        assert_int_equal(scratch_make(NULL), 0);
    }
    assert_true(lost[0] > 0);
    assert_int_equal(lost[1], lost[0]);
}

static bool count_walked(void *context, const struct walked_block *block, struct error *error)
{
    uint64_t *walked = context;
    (void)error;
    *walked += block->count;
    return true;
}

TEST_WITH(two_failed_reads_of_a_walk_cost_nothing, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 9);
    spilling_close(spill);
    bool reached = true;
    for (unsigned passed = 0; reached; passed++) {
        uint64_t walked = 0;
        struct spill_walk walk = {.visit = count_walked, .context = &walked};
        next_reads.passed = passed;
        next_reads.failed = 2;
        assert_int_equal(spill_walk(scratch_path("spill"), &walk, NULL), 0);
        reached = next_reads.failed != 2;
        next_reads.passed = next_reads.failed = 0;
        assert_int_equal(walked, spilling_records(0, 9));
        assert_int_equal(walk.missing, 0);
    }
}

TEST_WITH(a_walk_goes_on_after_an_unreadable_part, scratch_make, scratch_remove)
{
    (void)state;
    uint64_t number, walked = 0;
    struct spill *spill = open_at_bad_head(&number);
    struct spill_walk walk = {.visit = count_walked, .context = &walked};
    spilling_close(spill);
    assert_int_equal(spill_walk(scratch_path("spill"), &walk, NULL), 0);
    assert_true(walked > spilling_records(BLOCKS / 2, BLOCKS));
    assert_true(walk.missing > 0);
    bad.first = bad.end = 0;
}

/* --- kept segments ---------------------------------------------------------------------------- */

#define KEPT UINT64_C(9) /* blocks in the kept segment */

static struct spill *open_labelled(const char *label)
{
    struct spill_settings settings = one_segment();
    settings.label = label;
    return spilling_open_with(&settings);
}

/*
 * Opens a spill that has a kept segment whose label is that of the spill, so that its blocks are
 * read.
 */
static struct spill *open_with_kept(void)
{
    struct spill *spill = open_labelled("json");
    spilling_append_all(spill, 0, KEPT);
    spilling_close(spill);
    spilling_close(open_labelled("influx"));
    return open_labelled("json");
}

static void make_bad_from(const char *name, size_t offset)
{
    struct stat status;
    assert_int_equal(stat(scratch_path(name), &status), 0);
    bad.file = status.st_ino;
    bad.first = (off_t)offset;
    bad.end = status.st_size;
}

/* Makes the byte at offset `in_block` of a block in the kept segment unreadable. */
static void make_bad(uint64_t number, size_t in_block)
{
    uint8_t bytes[SPILLING_IMAGE];
    char name[80];
    snprintf(name, sizeof name, "spill/%020d-%020d.kept", 0, (int)spilling_records(0, KEPT));
    make_bad_from(name, in_block);
    for (uint64_t i = 0; i < number; i++)
        bad.first += (off_t)(SPILL_HEAD_SIZE + strlen("json") + spilling_image(i, bytes));
    bad.end = bad.first + 1;
}

static void make_good(void)
{
    memset(&bad, 0, sizeof bad);
}

/* Reads and acknowledges a block. Returns false if the read fails. */
static bool read_number(struct spill *spill, uint64_t *number)
{
    uint8_t bytes[SPILLING_IMAGE];
    struct spill_block block;
    struct error error;
    enum spill_found found = spill_read(spill, bytes, sizeof bytes, &block, &error);
    if (found == SPILL_FOUND_FAILED)
        assert_non_null(strstr(error.text, "spill"));
    else
        assert_int_equal(found, SPILL_FOUND);
    if (found != SPILL_FOUND)
        return false;
    acknowledge_oldest(spill);
    *number = block.number;
    return true;
}

/*
 * Asserts that no block is left and that `lost` records were lost. Then makes an empty folder for
 * the next round.
 */
static void expect_end(struct spill *spill, uint64_t lost)
{
    uint64_t number;
    assert_false(spilling_read(spill, &number));
    assert_int_equal(spilling_counts(spill).lost, lost);
    assert_int_equal(spilling_counts(spill).held, 0);
    spilling_close(spill);
    /*
     * The folder has the cursor and the lock and, if records were lost, the damaged segment, which
     * was set aside.
     */
    assert_int_equal(scratch_count("spill"), lost == 0 ? 2 : 3);
    assert_int_equal(scratch_remove(NULL), 0);
    assert_int_equal(scratch_make(NULL), 0);
}

TEST_WITH(two_failed_reads_of_a_kept_segment_cost_nothing, scratch_make, scratch_remove)
{
    (void)state;
    bool reached = true;
    for (unsigned passed = 0; reached; passed++) {
        struct spill *spill = open_with_kept();
        next_reads.passed = passed;
        next_reads.failed = 2;
        for (uint64_t next = 0, number = 0; next < KEPT;)
            if (read_number(spill, &number))
                assert_int_equal(number, next++);
        reached = next_reads.failed != 2;
        next_reads.passed = next_reads.failed = 0;
        expect_end(spill, 0);
    }
}

TEST_WITH(a_block_of_a_kept_segment_that_can_never_be_read_is_lost_and_counted, scratch_make,
          scratch_remove)
{
    (void)state;
    /* The first offset is in the label, and the second one in the image. */
    static const size_t in_block[] = {SPILL_HEAD_SIZE, SPILL_HEAD_SIZE + 4};
    for (size_t i = 0; i < 2; i++) {
        struct spill *spill = open_with_kept();
        uint64_t number;
        make_bad(4, in_block[i]);
        for (uint64_t next = 0; next < 4; next++) {
            assert_true(read_number(spill, &number));
            assert_int_equal(number, next);
        }
        assert_false(read_number(spill, &number));
        for (uint64_t next = 5; next < KEPT; next++) {
            assert_true(read_number(spill, &number));
            assert_int_equal(number, next);
        }
        make_good();
        expect_end(spill, spilling_records(4, 5));
    }
}

TEST_WITH(failures_of_a_label_and_of_its_image_do_not_add_up, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = open_with_kept();
    uint64_t number;
    make_bad(4, SPILL_HEAD_SIZE);
    for (uint64_t next = 0; next < 4; next++)
        assert_true(read_number(spill, &number));
    assert_false(read_number(spill, &number));
    bad.first += (off_t)strlen("json");
    bad.end = bad.first + 1;
    assert_false(read_number(spill, &number));
    make_good();
    spilling_expect(spill, 4, KEPT, true);
    expect_end(spill, 0);
}

TEST_WITH(blocks_after_an_unreadable_one_of_a_kept_segment_are_found_once_by_the_next_run,
          scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = open_with_kept();
    uint64_t number;
    make_bad(4, SPILL_HEAD_SIZE + strlen("json"));
    for (uint64_t next = 0; next < 4; next++)
        assert_true(read_number(spill, &number));
    assert_false(read_number(spill, &number));
    make_good();
    assert_int_equal(spilling_counts(spill).lost, 0);
    spilling_close(spill);
    spill = open_labelled("json");
    assert_int_equal(spilling_counts(spill).recovered, spilling_records(4, KEPT));
    spilling_expect(spill, 4, KEPT, true);
    expect_end(spill, 0);
}

/* --- labels ----------------------------------------------------------------------------------- */

/*
 * Opens the spill with another label, so that its blocks are kept. After `passed` reads, two reads
 * fail.
 */
static void expect_kept(unsigned passed, bool *reached)
{
    next_reads.passed = passed;
    next_reads.failed = 2;
    struct spill *spill = open_labelled("influx");
    *reached |= next_reads.failed != 2;
    next_reads.passed = next_reads.failed = 0;
    uint64_t number;
    assert_int_equal(spilling_counts(spill).kept, spilling_records(0, KEPT));
    assert_false(spilling_read(spill, &number));
    spilling_close(spill);
}

TEST_WITH(after_two_failed_reads_blocks_of_another_label_are_still_kept, scratch_make,
          scratch_remove)
{
    (void)state;
    bool reached = true;
    for (unsigned passed = 0; reached; passed++) {
        struct spill *spill = open_labelled("json");
        spilling_append_all(spill, 0, KEPT);
        spilling_close(spill);
        reached = false;
        expect_kept(passed, &reached); /* the segment becomes a kept one */
        expect_kept(passed, &reached);
        spill = open_labelled("json");
        spilling_expect(spill, 0, KEPT, true);
        expect_end(spill, 0);
    }
}

TEST_WITH(a_segment_whose_label_cannot_be_read_is_kept_whole, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = open_labelled("json");
    char label[SPILL_LABEL_SIZE];
    spilling_append_all(spill, 0, KEPT);
    spilling_close(spill);
    make_bad_from(spilling_segment(0), SPILL_HEAD_SIZE);
    spill = open_labelled("influx");
    assert_int_equal(spilling_counts(spill).kept, spilling_records(0, KEPT));
    spill_kept_label(spill, label);
    assert_string_equal(label, "");
    make_good();
    spilling_close(spill);
    spill = open_labelled("json");
    assert_int_equal(spilling_counts(spill).recovered, spilling_records(0, KEPT));
    spilling_expect(spill, 0, KEPT, true);
    expect_end(spill, 0);
}
