/*
 * System calls fail during a run: each call once, or all from one on, as with a full, read-only or
 * broken disk, or the program is killed before the call. Afterwards the stored blocks are there in
 * order. Blocks that could not be stored can be stored when calls succeed again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/platform/clock.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/spill/read_blocks.h"
#include "tests/support/spill/spilling.h"
#include "tests/support/test.h"

/* --- system calls that fail ------------------------------------------------------------------- */

int __real_open(const char *path, int flags, ...);
ssize_t __real_pread(int fd, void *bytes, size_t size, off_t offset);
ssize_t __real_pwritev(int fd, const struct iovec *parts, int count, off_t offset);
int __real_ftruncate(int fd, off_t size);
int __real_unlink(const char *path);
int __real_rename(const char *from, const char *to);
int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset);
ssize_t __wrap_pwritev(int fd, const struct iovec *parts, int count, off_t offset);
int __wrap_ftruncate(int fd, off_t size);
int __wrap_fdatasync(int fd);
int __wrap_fsync(int fd);
int __wrap_unlink(const char *path);
int __wrap_rename(const char *from, const char *to);

#define DEAD 3

static struct {
    bool armed;
    bool reads;     /* calls that only read are counted, too */
    bool for_ever;  /* the call and all later ones fail */
    bool half;      /* the write writes only half of its bytes, and the next one fails */
    bool dies;      /* the program ends before the call */
    unsigned left;  /* number of calls until the one that fails; 0 means no call fails */
    unsigned most;  /* number of calls that fail then; 0 means all */
    unsigned then;  /* after those, calls fail again from this call on; 0 means none */
    int number;     /* the errno */
    unsigned every; /* one in this number of file reads fails; 0 means none */
    unsigned reads_done;
    unsigned failed;
    unsigned syncs; /* number of syncs of files, including failed ones */
} calls;

static bool fails(bool changes)
{
    if (!calls.armed || (!changes && !calls.reads) || calls.left == 0)
        return false;
    if (calls.left > 1) {
        calls.left--;
        return false;
    }
    if (!calls.for_ever || (calls.most != 0 && --calls.most == 0)) {
        calls.left = calls.then;
        calls.then = 0;
    }
    if (calls.dies)
        _exit(DEAD);
    calls.failed++;
    errno = calls.number;
    return true;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? (mode_t)va_arg(arguments, int) : 0;
    va_end(arguments);
    return fails((flags & O_CREAT) != 0) ? -1 : __real_open(path, flags, mode);
}

ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset)
{
    if (calls.every != 0 && ++calls.reads_done % calls.every == 0) {
        errno = EIO;
        return -1;
    }
    return fails(false) ? -1 : __real_pread(fd, bytes, size, offset);
}

ssize_t __wrap_pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    if (calls.half && calls.armed && calls.left == 1 && parts[count - 1].iov_len > 1) {
        struct iovec some[16];
        calls.half = false;
        memcpy(some, parts, (size_t)count * sizeof *parts);
        some[count - 1].iov_len /= 2;
        return __real_pwritev(fd, some, count, offset);
    }
    return fails(true) ? -1 : __real_pwritev(fd, parts, count, offset);
}

int __wrap_ftruncate(int fd, off_t size)
{
    return fails(true) ? -1 : __real_ftruncate(fd, size);
}

/* No test cuts the power, so the sync writes nothing to disk. */
int __wrap_fdatasync(int fd)
{
    (void)fd;
    calls.syncs++;
    return fails(true) ? -1 : 0;
}

int __wrap_fsync(int fd)
{
    (void)fd;
    return fails(true) ? -1 : 0;
}

int __wrap_unlink(const char *path)
{
    return fails(true) ? -1 : __real_unlink(path);
}

int __wrap_rename(const char *from, const char *to)
{
    return fails(true) ? -1 : __real_rename(from, to);
}

/* --- a run that uses a spill ------------------------------------------------------------------ */

/* The results of a run. They are in shared memory, because the run may be in another process. */
static struct done {
    uint64_t stored[200]; /* the stored blocks in their order */
    size_t stored_count;
    size_t acknowledged; /* number of these blocks that are acknowledged, from the first */
    uint64_t next_number;
    uint64_t first_failed; /* the first block that was not stored */
    bool is_storing;       /* a block is being stored, so it may be on disk */
    uint64_t first_left;   /* the first block that was not stored and not given up */
    bool may_be_there;     /* a block that was given up may be found */
    uint64_t left;
} * done;

static void append_some(struct spill *spill, unsigned count)
{
    for (unsigned i = 0; i < count; i++, done->next_number++) {
        done->is_storing = true;
        enum spill_stored result = spilling_offer(spill, done->next_number, NULL);
        done->is_storing = false;
        if (result == SPILL_STORED)
            done->stored[done->stored_count++] = done->next_number;
        else if (done->first_failed == 0)
            done->first_failed = done->next_number;
    }
}

static bool is_stored(uint64_t number)
{
    for (size_t i = 0; i < done->stored_count; i++)
        if (done->stored[i] == number)
            return true;
    return false;
}

static void give_up(struct spill *spill)
{
    for (; done->first_left < done->next_number; done->first_left++) {
        if (is_stored(done->first_left) || !spill_give_up(spill, done->first_left))
            continue;
        assert_false(done->may_be_there);
        done->may_be_there = true;
        done->left = done->first_left;
    }
}

/*
 * Checks a block that the next run reads. The first one may be an acknowledged block, because the
 * cursor may not show it as acknowledged.
 */
static void meet(uint64_t number, bool first)
{
    for (; first && done->acknowledged > 0 && number < done->stored[done->acknowledged];
         done->acknowledged--)
        ;
    assert_in_range(done->acknowledged, 0, done->stored_count - 1);
    assert_int_equal(number, done->stored[done->acknowledged++]);
}

static bool read_some(struct spill *spill, size_t count)
{
    bool first = spilling_counts(spill).acknowledged == 0;
    for (size_t i = 0; i < count && done->acknowledged < done->stored_count; i++) {
        uint8_t bytes[SPILLING_IMAGE];
        struct spill_block block;
        enum spill_found found = SPILL_FOUND_FAILED;
        for (unsigned attempts = 0; found == SPILL_FOUND_FAILED && attempts < 2; attempts++)
            found = spill_read(spill, bytes, sizeof bytes, &block, NULL);
        if (found != SPILL_FOUND)
            return false;
        meet(block.number, first);
        acknowledge_oldest(spill);
        first = false;
    }
    return true;
}

static void work(const struct spill_settings *settings)
{
    struct spill *spill;
    struct error error;
    if (spill_open(settings, &spill, &error) != 0) {
        assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
        return;
    }
    append_some(spill, 30);
    spill_tick(spill, clock_monotonic_ns() + 1, NULL);
    read_some(spill, 14);
    spill_tick(spill, clock_monotonic_ns() + 1, NULL);
    append_some(spill, 5);
    read_some(spill, 3);
    give_up(spill);
    assert_int_equal(spilling_counts(spill).lost, 0);
    spill_close(spill, NULL);
}

/*
 * Opens the spill when no call fails any more, and asserts that all stored blocks are in it.
 * Acknowledged blocks may be read again if the cursor does not show them. After a kill, the block
 * that was being stored may be in it too.
 */
static void check_afterwards(const struct spill_settings *settings)
{
    struct spill *spill = spilling_open_with(settings);
    uint64_t being_stored = done->is_storing ? done->next_number++ : UINT64_MAX;
    uint64_t number;
    append_some(spill, 20);
    for (bool first = true; spilling_read(spill, &number); first = false) {
        if (number != being_stored && !(done->may_be_there && number == done->left))
            meet(number, first);
        acknowledge_oldest(spill);
    }
    assert_int_equal(done->acknowledged, done->stored_count);
    /* If a block was not stored, a part of it may be on disk, and its records may count as lost. */
    uint64_t torn = being_stored != UINT64_MAX ? being_stored : done->first_failed;
    assert_true(spilling_counts(spill).lost == 0 ||
                spilling_counts(spill).lost == spilling_count(torn));
    assert_int_equal(spilling_counts(spill).held, 0);
    spilling_close(spill);
    assert_int_equal(spilling_segments(), 0);
}

/* Stores some blocks and acknowledges a few of them, before any call fails. */
static void prepare(const struct spill_settings *settings)
{
    memset(done, 0, sizeof *done);
    struct spill *spill = spilling_open_with(settings);
    append_some(spill, 20);
    assert_true(read_some(spill, 4));
    spilling_close(spill);
}

static int set_up(void **state)
{
    done = mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return done == MAP_FAILED ? -1 : scratch_make(state);
}

static int tear_down(void **state)
{
    munmap(done, sizeof *done);
    return scratch_remove(state);
}

static void fail_each_call(enum spill_sync sync, int number, bool reads, bool for_ever, bool half)
{
    struct spill_settings settings = spilling_settings();
    settings.sync = sync;
    unsigned failed = 1;
    for (unsigned nth = 1; failed != 0; nth++) {
        prepare(&settings);
        memset(&calls, 0, sizeof calls);
        calls.reads = reads;
        calls.for_ever = for_ever;
        calls.half = half;
        calls.left = nth;
        calls.number = number;
        calls.armed = true;
        work(&settings);
        failed = calls.failed;
        calls.armed = false;
        check_afterwards(&settings);
        assert_true(nth > 1 || failed != 0);
    }
}

TEST_WITH(a_disk_that_is_full_once_or_for_long_costs_nothing_that_was_stored, set_up, tear_down)
{
    (void)state;
    fail_each_call(SPILL_SYNC_INTERVAL, ENOSPC, false, false, false);
    fail_each_call(SPILL_SYNC_INTERVAL, ENOSPC, false, true, false);
    fail_each_call(SPILL_SYNC_NEVER, ENOSPC, false, false, true);
    fail_each_call(SPILL_SYNC_NEVER, ENOSPC, false, true, true);
}

TEST_WITH(a_disk_that_cannot_be_written_costs_nothing_that_was_stored, set_up, tear_down)
{
    (void)state;
    fail_each_call(SPILL_SYNC_CLOSE, EIO, false, false, false);
    fail_each_call(SPILL_SYNC_ALWAYS, EIO, false, false, false);
    fail_each_call(SPILL_SYNC_ALWAYS, EIO, false, true, false);
    fail_each_call(SPILL_SYNC_NEVER, EIO, false, true, true);
    fail_each_call(SPILL_SYNC_NEVER, EROFS, false, true, false);
}

/*
 * Stores a block. The sync of the block fails, and so do some of the calls that would remove it,
 * `failures` calls in all. Block 0 begins a segment.
 */
static void leave_block(struct spill *spill, uint64_t number, unsigned failures)
{
    memset(&calls, 0, sizeof calls);
    calls.armed = calls.for_ever = true;
    /*
     * Number of the first call that fails: the sync. The calls before it create the file, if there
     * is none yet, and write the block.
     */
    calls.left = number == 0 ? 3 : 2;
    calls.most = failures;
    calls.number = EIO;
    assert_int_equal(spilling_offer(spill, number, NULL), SPILL_FAILED);
    calls.armed = false;
}

/*
 * Stores `before` blocks and one more, while `failures` calls fail. Asserts that the last block
 * stays on disk.
 */
static void expect_left_block(uint64_t before, unsigned failures)
{
    struct spill_settings settings = spilling_settings();
    settings.sync = SPILL_SYNC_ALWAYS;
    uint64_t number;

    struct spill *spill = spilling_open_with(&settings);
    spilling_append_all(spill, 0, before);
    leave_block(spill, before, failures);
    assert_false(spill_give_up(spill, before + 1));
    assert_false(spill_give_up(spill, before));
    spilling_expect(spill, 0, before, true);
    spilling_close(spill);
    spill = spilling_open_with(&settings);
    assert_false(spilling_read(spill, &number));

    spilling_append_all(spill, 0, before);
    leave_block(spill, before, failures);
    calls.armed = true;
    calls.left = 1;
    calls.most = 0;
    assert_true(spill_give_up(spill, before));
    calls.armed = false;
    spilling_close(spill);
    spill = spilling_open_with(&settings);
    spilling_expect(spill, 0, before + 1, true);
    spilling_close(spill);
}

TEST_WITH(a_block_that_cannot_be_taken_back_is_found_and_that_is_known, scratch_make,
          scratch_remove)
{
    (void)state;
    expect_left_block(3, 2); /* the sync, and the cut */
    expect_left_block(0, 3); /* also the removal of the file */
}

/* The next block needs a new file, which cannot be created. */
TEST_WITH(a_block_that_stays_on_disk_is_known_also_after_the_next_one_failed, scratch_make,
          scratch_remove)
{
    (void)state;
    struct spill_settings settings = spilling_settings();
    settings.sync = SPILL_SYNC_ALWAYS;
    struct spill *spill = spilling_open_with(&settings);
    leave_block(spill, 0, 3);
    memset(&calls, 0, sizeof calls);
    calls.armed = calls.for_ever = true;
    calls.left = 1;
    calls.most = 2; /* the removal and the cut */
    calls.then = 3; /* the first name exists, the second does not, and the write fails */
    calls.number = EIO;
    assert_int_equal(spilling_offer(spill, 1, NULL), SPILL_FAILED);
    assert_true(spill_give_up(spill, 0));
    assert_false(spill_give_up(spill, 1));
    calls.armed = false;
    spilling_close(spill);
    spill = spilling_open_with(&settings);
    spilling_expect(spill, 0, 1, true);
    uint64_t number;
    assert_false(spilling_read(spill, &number));
    spilling_close(spill);
}

TEST_WITH(a_block_that_went_another_way_is_not_found, scratch_make, scratch_remove)
{
    (void)state;
    struct spill_settings settings = spilling_settings();
    settings.sync = SPILL_SYNC_ALWAYS;
    for (unsigned before = 0; before < 2; before++) {
        for (unsigned when = 0; when < 4; when++) {
            struct spill *spill = spilling_open_with(&settings);
            spilling_append_all(spill, 0, before);
            spilling_expect(spill, 0, before, true);
            leave_block(spill, before, 3);
            if (when == 0)
                spilling_append(spill, before + 1);
            if (when == 1)
                spilling_tick(spill);
            /*
             * In the last round, the calls that would cut off or remove the block at the close fail
             * too.
             */
            calls.armed = when == 2;
            calls.left = 1;
            calls.most = before == 0 ? 2 : 1;
            spill_close(spill, NULL);
            calls.armed = false;
            spill = spilling_open_with(&settings);
            spilling_expect(spill, before + 1, before + 1 + (when == 0), true);
            uint64_t number;
            assert_false(spilling_read(spill, &number));
            spilling_close(spill);
            assert_int_equal(scratch_remove(state), 0);
            assert_int_equal(scratch_make(state), 0);
        }
    }
}

TEST_WITH(a_call_that_fails_once_costs_nothing_also_where_it_reads, set_up, tear_down)
{
    (void)state;
    fail_each_call(SPILL_SYNC_INTERVAL, EIO, true, false, false);
    fail_each_call(SPILL_SYNC_INTERVAL, EMFILE, true, false, false);
}

TEST_WITH(a_kill_before_any_call_costs_nothing_that_was_stored, set_up, tear_down)
{
    (void)state;
    struct spill_settings settings = spilling_settings();
    int status = 0;
    for (unsigned nth = 1; nth == 1 || WEXITSTATUS(status) == DEAD; nth++) {
        prepare(&settings);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            memset(&calls, 0, sizeof calls);
            calls.armed = calls.dies = true;
            calls.half = nth % 2 != 0;
            calls.left = nth;
            work(&settings);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        check_afterwards(&settings);
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

TEST_WITH(a_full_disk_is_full_and_a_broken_one_has_failed, scratch_make, scratch_remove)
{
    (void)state;
    static const struct {
        int number;
        enum spill_stored stored;
    } cases[] = {{ENOSPC, SPILL_FULL}, {EDQUOT, SPILL_FULL},  {EFBIG, SPILL_FULL},
                 {EIO, SPILL_FAILED},  {EROFS, SPILL_FAILED}, {EACCES, SPILL_FAILED}};
    struct spill *spill = spilling_open();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error error;
        memset(&calls, 0, sizeof calls);
        calls.armed = calls.for_ever = true;
        calls.left = 1;
        calls.number = cases[i].number;
        assert_int_equal(spilling_offer(spill, 7, &error), cases[i].stored);
        assert_non_null(strstr(error.text, strerror(cases[i].number)));
        assert_non_null(strstr(error.text, scratch_path("spill")));
        calls.armed = false;
    }
    spilling_append(spill, 1);
    spilling_expect(spill, 1, 2, true);
    spilling_close(spill);
}

TEST_WITH(what_can_never_be_read_is_lost_in_the_end_and_counted, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 30);
    memset(&calls, 0, sizeof calls);
    calls.armed = calls.for_ever = calls.reads = true;
    calls.number = EIO;
    uint8_t bytes[SPILLING_IMAGE];
    struct spill_block block;
    uint64_t number;
    assert_true(spilling_read(spill, &number));
    acknowledge_oldest(spill);
    calls.left = 1;
    assert_int_equal(spill_read(spill, bytes, sizeof bytes, &block, NULL), SPILL_FOUND_FAILED);
    assert_int_equal(spill_read(spill, bytes, sizeof bytes, &block, NULL), SPILL_FOUND_FAILED);
    calls.left = 3; /* the read after these two succeeds */
    calls.armed = false;
    assert_int_equal(spill_read(spill, bytes, sizeof bytes, &block, NULL), SPILL_FOUND);
    assert_int_equal(block.number, 1);
    acknowledge_oldest(spill);
    calls.armed = true;
    calls.left = 1;
    unsigned failures = 0;
    enum spill_found found;
    while ((found = spill_read(spill, bytes, sizeof bytes, &block, NULL)) == SPILL_FOUND_FAILED &&
           failures < 3)
        failures++;
    /*
     * The file of the next segment cannot be opened. This may be temporary, so no block counts as
     * lost.
     */
    assert_int_equal(found, SPILL_FOUND_FAILED);
    uint64_t lost = spilling_counts(spill).held;
    calls.armed = false;
    while (spilling_read(spill, &number)) {
        lost -= spilling_count(number);
        acknowledge_oldest(spill);
    }
    assert_int_equal(spilling_counts(spill).lost, lost);
    assert_int_equal(spilling_counts(spill).held, 0);
    assert_true(lost > 0);
    spilling_append(spill, 30);
    spilling_expect(spill, 30, 31, true);
    spilling_close(spill);
}

/* Tries to read a block `attempts` times. In each attempt, the calls from number `call` on fail. */
static void fail_reads(struct spill *spill, unsigned attempts, unsigned call)
{
    uint8_t bytes[SPILLING_IMAGE];
    struct spill_block block;
    memset(&calls, 0, sizeof calls);
    calls.armed = calls.reads = true;
    calls.number = EIO;
    for (unsigned i = 0; i < attempts; i++) {
        calls.left = call;
        assert_int_equal(spill_read(spill, bytes, sizeof bytes, &block, NULL), SPILL_FOUND_FAILED);
    }
    assert_int_equal(calls.failed, attempts);
    calls.armed = false;
}

/* Two failed reads of a head and one of its image are not three failures of the same read. */
TEST_WITH(failures_of_a_head_and_of_its_image_do_not_add_up, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 3);
    spilling_expect(spill, 0, 1, true);
    fail_reads(spill, 2, 1);
    fail_reads(spill, 1, 2);
    spilling_expect(spill, 1, 3, true);
    assert_int_equal(spilling_counts(spill).lost, 0);
    spilling_close(spill);
}

/* Two reads of an image fail. After a rewind, a read of another image fails. */
TEST_WITH(failures_at_different_places_do_not_add_up, scratch_make, scratch_remove)
{
    (void)state;
    uint64_t number;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 3);
    assert_true(spilling_read(spill, &number));
    fail_reads(spill, 2, 2);
    spill_rewind(spill);
    fail_reads(spill, 1, 3); /* the first call opens the file */
    spilling_expect(spill, 0, 3, true);
    assert_int_equal(spilling_counts(spill).lost, 0);
    spilling_close(spill);
}

/* The cursor has two slots. The older slot does not show the last block as sent. */
TEST_WITH(what_was_sent_is_known_where_any_read_of_the_opening_fails, scratch_make, scratch_remove)
{
    (void)state;
    struct spill_settings settings = spilling_settings();
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 9);
    spilling_expect(spill, 0, 2, true);
    spilling_tick(spill);
    spilling_expect(spill, 2, 5, false);
    spilling_save();
    spilling_close(spill);
    for (unsigned nth = 1, failed = 1; failed != 0; nth++) {
        spilling_restore();
        memset(&calls, 0, sizeof calls);
        calls.armed = calls.reads = true;
        calls.number = EIO;
        calls.left = nth;
        bool opened = spill_open(&settings, &spill, NULL) == 0;
        calls.armed = false;
        failed = calls.failed;
        uint8_t bytes[SPILLING_IMAGE];
        struct spill_block block;
        while (opened && spill_read(spill, bytes, sizeof bytes, &block, NULL) == SPILL_FOUND) {
            assert_true(block.again || block.number >= 5);
            acknowledge_oldest(spill);
        }
        if (opened)
            spilling_close(spill);
    }
}

/* A disk may be unavailable for a moment, so a file that cannot be read must not be removed. */
TEST_WITH(what_cannot_be_read_when_it_is_opened_is_not_removed, scratch_make, scratch_remove)
{
    (void)state;
    static const char segment[] = "spill/00000000000000000000.seg";
    static const char aside[] = "spill/00000000000000000000.bad";
    for (unsigned nth = 1; nth < 30; nth++) {
        struct spill_settings settings = spilling_settings();
        struct spill *spill = spilling_open();
        spilling_append_all(spill, 0, 3);
        spilling_close(spill);
        assert_true(scratch_has(segment));
        memset(&calls, 0, sizeof calls);
        calls.armed = calls.for_ever = calls.reads = true;
        calls.number = EIO;
        calls.left = nth;
        calls.most = 4;
        bool opened = spill_open(&settings, &spill, NULL) == 0;
        calls.armed = false;
        assert_true(scratch_has(segment) || scratch_has(aside));
        if (opened)
            spilling_close(spill);
        assert_int_equal(scratch_remove(state), 0);
        assert_int_equal(scratch_make(state), 0);
    }
}

TEST_WITH(reads_that_fail_now_and_then_when_it_is_opened_cost_nothing, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 30);
    spilling_close(spill);
    memset(&calls, 0, sizeof calls);
    for (calls.every = 5; calls.every > 1; calls.every--) {
        spill = spilling_open();
        assert_int_equal(spilling_counts(spill).recovered, spilling_records(0, 30));
        spilling_close(spill);
    }
    calls.every = 0;
    spill = spilling_open();
    spilling_expect(spill, 0, 30, true);
    spilling_close(spill);
}

/*
 * Stores a block that was read from the spill and sent, so the stored block must be marked as sent.
 */
static void append_as_read(struct spill *spill, uint64_t number)
{
    uint8_t bytes[SPILLING_IMAGE];
    const struct text piece = {(const char *)bytes, spilling_image(number, bytes)};
    const struct spill_block block = {.number = number, .count = spilling_count(number)};
    uint64_t position;
    spill_append_read(spill, &block, &piece, 1, &position, NULL);
}

TEST_WITH(what_is_stored_as_read_may_have_been_sent_also_after_a_kill_at_any_call, scratch_make,
          scratch_remove)
{
    int status = 0;
    for (unsigned nth = 1; WEXITSTATUS(status) != 0 || nth == 1; nth++) {
        pid_t child = fork();
        if (child == 0) {
            struct spill *spill = spilling_open();
            memset(&calls, 0, sizeof calls);
            calls.armed = calls.dies = true;
            calls.left = nth;
            for (uint64_t number = 0; number < 3; number++)
                append_as_read(spill, number);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        uint8_t bytes[SPILLING_IMAGE];
        struct spill_block block;
        struct spill *spill = spilling_open();
        while (spill_read(spill, bytes, sizeof bytes, &block, NULL) == SPILL_FOUND) {
            assert_true(block.again);
            acknowledge_oldest(spill);
        }
        spilling_close(spill);
        assert_int_equal(scratch_remove(state), 0);
        assert_int_equal(scratch_make(state), 0);
    }
}

/* --- syncs of blocks -------------------------------------------------------------------------- */

/* Appends `count` blocks and lets each interval end once. Returns the number of syncs. */
static unsigned count_syncs(enum spill_sync way, uint64_t count)
{
    struct spill_settings settings = spilling_settings();
    settings.sync = way;
    struct spill *spill = spilling_open_with(&settings);
    unsigned before = calls.syncs;
    spilling_append_all(spill, 0, count);
    spilling_tick(spill);
    unsigned syncs = calls.syncs - before;
    spilling_expect(spill, 0, count, true);
    spilling_close(spill);
    return syncs;
}

TEST_WITH(blocks_reach_the_disk_as_often_as_the_settings_say, scratch_make, scratch_remove)
{
    (void)state;
    const unsigned blocks = 5; /* in one segment */
    assert_int_equal(count_syncs(SPILL_SYNC_NEVER, blocks), 0);
    assert_int_equal(count_syncs(SPILL_SYNC_CLOSE, blocks), 0);
    assert_in_range(count_syncs(SPILL_SYNC_CLOSE, 30), 1, 6);
    assert_int_equal(count_syncs(SPILL_SYNC_INTERVAL, blocks), 1);
    assert_int_equal(count_syncs(SPILL_SYNC_ALWAYS, blocks), blocks);
}

/* Opens a spill whose blocks were not synced. Returns the number of syncs. */
static unsigned count_syncs_of_opening(enum spill_sync way)
{
    struct spill_settings settings = spilling_settings();
    settings.sync = SPILL_SYNC_NEVER;
    struct spill *spill = spilling_open_with(&settings);
    spilling_append_all(spill, 0, 2);
    spilling_close(spill);
    settings.sync = way;
    unsigned before = calls.syncs;
    spill = spilling_open_with(&settings);
    unsigned syncs = calls.syncs - before;
    spilling_expect(spill, 0, 2, true);
    spilling_close(spill);
    return syncs;
}

TEST_WITH(what_is_found_reaches_the_disk_as_well, scratch_make, scratch_remove)
{
    (void)state;
    assert_int_equal(count_syncs_of_opening(SPILL_SYNC_NEVER), 0);
    assert_int_equal(count_syncs_of_opening(SPILL_SYNC_ALWAYS), 1);
}

/* --- memory ----------------------------------------------------------------------------------- */

TEST_WITH(without_memory_it_is_not_opened_and_the_folder_stays_as_it_was, scratch_make,
          scratch_remove)
{
    (void)state;
    struct spill_settings settings = spilling_settings();
    spilling_close(spilling_open());
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 30);
    spilling_close(spill);
    uint64_t nth = 1;
    for (;; nth++) {
        struct error error;
        failing_memory_fail(nth);
        int result = spill_open(&settings, &spill, &error);
        if (failing_memory_left() != 0)
            break;
        if (result == 0) {
            spilling_close(spill);
            continue;
        }
        assert_int_equal(error.code, EXIT_CODE_INTERNAL);
    }
    assert_true(nth > 5);
    failing_memory_fail(0);
    spilling_expect(spill, 0, 30, true);
    spilling_close(spill);
}

TEST_WITH(blocks_come_and_go_without_an_allocation, scratch_make, scratch_remove)
{
    (void)state;
    struct spill *spill = spilling_open();
    spilling_append_all(spill, 0, 5);
    spilling_expect(spill, 0, 3, true);
    failing_memory_fail(1000000);
    spilling_append_all(spill, 5, 200);
    spilling_expect(spill, 3, 200, true);
    spilling_tick(spill);
    assert_int_equal(failing_memory_left(), 1000000);
    failing_memory_fail(0);
    spilling_close(spill);
}
