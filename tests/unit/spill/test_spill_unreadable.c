/*
 * A spill is opened while a part of its last segment cannot be read. The blocks in it may be whole,
 * so the file is not cut. All of them are found when the disk can be read again.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/platform/scratch_directory.h"
#include "tests/support/spill/spilling.h"
#include "tests/support/test.h"

ssize_t __real_pread(int fd, void *bytes, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset);

/*
 * The bytes of a file that cannot be read, from `first` to below `end`. The file of the cursor is
 * shorter than `first`, so it can be read.
 */
static struct {
    off_t first, end;
} bad;

ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset)
{
    if (offset < bad.end && offset + (off_t)size > bad.first) {
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

/* The smallest size of the last segment in bytes. It is read in many parts. */
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
