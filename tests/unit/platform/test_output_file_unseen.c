/* When the system cannot look up a file for a moment, its last known state stays valid. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "collector/platform/output_file.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

int __real_fstat(int fd, struct stat *status);
int __wrap_fstat(int fd, struct stat *status);
int __real_stat(const char *path, struct stat *status);
int __wrap_stat(const char *path, struct stat *status);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

ssize_t __real_pread(int fd, void *bytes, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t at);

ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);

static bool unseen;
static bool would_block;
static int unnamed; /* errno of each look-up of a name; 0 means the look-up succeeds */
/*
 * Each read depends on this value: -1 returns one byte, 0 returns all bytes, and another value is
 * the errno with which it fails.
 */
static int torn_read;
static int unreadable;  /* errno of each open for reading; 0 means the open succeeds */
static int interrupted; /* number of writes that are interrupted */

int __wrap_fstat(int fd, struct stat *status)
{
    errno = ENOMEM;
    return unseen ? -1 : __real_fstat(fd, status);
}

int __wrap_stat(const char *path, struct stat *status)
{
    errno = unnamed;
    return unnamed != 0 ? -1 : __real_stat(path, status);
}

int __wrap_open(const char *path, int flags, ...)
{
    bool reads = (flags & O_ACCMODE) == O_RDONLY;
    errno = unreadable;
    if (reads && unreadable != 0)
        return -1;
    errno = EINTR;
    if (reads && interrupted != 0 && interrupted-- != 0)
        return -1;
    return __real_open(path, flags, 0644);
}

ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t at)
{
    errno = torn_read;
    return torn_read > 0 ? -1 : __real_pread(fd, bytes, torn_read < 0 ? 1 : size, at);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
    errno = EAGAIN;
    return would_block ? -1 : __real_write(fd, bytes, size);
}

static struct error error;
static struct output_file_start start;

static struct output_file *try_to_open(void)
{
    struct output_file *file;
    return output_file_open_append(scratch_path("a"), 0, NULL, &file, &start, &error) == 0 ? file
                                                                                           : NULL;
}

static struct output_file *open_file(void)
{
    struct output_file *file = try_to_open();
    if (file == NULL)
        fail_msg("%s", error.text);
    return file;
}

static bool is_at_beginning(const struct output_file *file)
{
    unseen = true;
    bool answer = output_file_at_beginning(file);
    unseen = false;
    return answer;
}

static void write_line(struct output_file *file)
{
    size_t written;
    if (output_file_write(file, "one\n", 4, &written, &error) != WRITE_OK)
        fail_msg("%s", error.text);
}

TEST_WITH(a_file_that_was_empty_is_at_its_beginning_until_it_is_written_to, scratch_make,
          scratch_remove)
{
    (void)state;
    struct output_file *file = open_file();
    assert_true(is_at_beginning(file));
    write_line(file);
    assert_false(is_at_beginning(file));
    output_file_close(file);
}

TEST_WITH(a_file_that_was_not_empty_is_not_at_its_beginning, scratch_make, scratch_remove)
{
    (void)state;
    struct output_file *file = open_file();
    write_line(file);
    output_file_close(file);
    file = open_file();
    assert_false(is_at_beginning(file));
    output_file_close(file);
}

/* --- detecting that a file was moved ---------------------------------------------------------- */

static enum output_file_state look(const struct output_file *file, int number)
{
    error = (struct error){.text = ""};
    unnamed = number;
    enum output_file_state state = output_file_look(file, scratch_path("a"), &error);
    unnamed = 0;
    return state;
}

TEST_WITH(a_name_that_cannot_be_looked_at_does_not_say_that_the_file_was_moved, scratch_make,
          scratch_remove)
{
    (void)state;
    static const int failures[] = {ELOOP, EACCES, EIO, ENOMEM};
    struct output_file *file = open_file();
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        assert_int_equal(look(file, failures[i]), OUTPUT_FILE_UNSEEN);
        assert_non_null(strstr(error.text, strerror(failures[i])));
    }
    assert_int_equal(look(file, 0), OUTPUT_FILE_IN_PLACE);
    output_file_close(file);
}

TEST_WITH(a_file_that_cannot_be_looked_at_is_not_moved, scratch_make, scratch_remove)
{
    (void)state;
    struct output_file *file = open_file();
    unseen = true;
    assert_int_equal(look(file, 0), OUTPUT_FILE_UNSEEN);
    unseen = false;
    output_file_close(file);
}

TEST_WITH(a_name_that_nothing_has_any_more_says_that_the_file_was_moved, scratch_make,
          scratch_remove)
{
    (void)state;
    struct output_file *file = open_file();
    assert_int_equal(look(file, ENOENT), OUTPUT_FILE_MOVED);
    assert_int_equal(look(file, ENOTDIR), OUTPUT_FILE_MOVED);
    output_file_close(file);
}

TEST_WITH(a_file_that_has_no_name_left_is_moved_whatever_its_name_says, scratch_make,
          scratch_remove)
{
    (void)state;
    struct output_file *file = open_file();
    others_remove("a");
    assert_int_equal(look(file, ELOOP), OUTPUT_FILE_MOVED);
    output_file_close(file);
}

/* --- a regular file that would block ---------------------------------------------------------- */

/* A file system in user space may return EAGAIN for a regular file. */
TEST_WITH(a_regular_file_that_would_block_has_failed_as_there_is_nothing_to_wait_for, scratch_make,
          scratch_remove)
{
    (void)state;
    size_t written;
    struct output_file *file = open_file();
    would_block = true;
    assert_int_equal(output_file_write(file, "one\n", 4, &written, &error), WRITE_FAILED);
    would_block = false;
    write_line(file);
    output_file_close(file);
    scratch_assert_holds_text("a", "one\n");
}

/* --- a torn line ------------------------------------------------------------------------------ */

static int leave_torn(void **state)
{
    int result = scratch_make(state);
    unseen = false;
    unreadable = interrupted = torn_read = 0;
    scratch_put_text("a", "one\ntwo");
    return result;
}

TEST_WITH(nothing_is_appended_to_a_line_that_cannot_be_looked_at, leave_torn, scratch_remove)
{
    (void)state;
    static const int failures[] = {ENOMEM, EMFILE, EIO};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        unreadable = failures[i];
        assert_null(try_to_open());
        assert_non_null(strstr(error.text, strerror(failures[i])));
        assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    }
    scratch_assert_holds_text("a", "one\ntwo");
}

TEST_WITH(nothing_is_appended_to_a_line_that_cannot_be_read, leave_torn, scratch_remove)
{
    (void)state;
    torn_read = EIO;
    assert_null(try_to_open());
    assert_non_null(strstr(error.text, strerror(EIO)));
    scratch_assert_holds_text("a", "one\ntwo");
}

TEST_WITH(a_line_that_is_read_byte_by_byte_is_seen_whole, leave_torn, scratch_remove)
{
    (void)state;
    torn_read = -1;
    output_file_close(open_file());
    assert_int_equal(start.torn, TORN_LINE_CUT);
    scratch_assert_holds_text("a", "one\n");
}

TEST_WITH(a_look_that_is_interrupted_is_made_again, leave_torn, scratch_remove)
{
    (void)state;
    interrupted = 2;
    struct output_file *file = open_file();
    assert_int_equal(start.torn, TORN_LINE_CUT);
    output_file_close(file);
    scratch_assert_holds_text("a", "one\n");
}

TEST_WITH(a_file_that_may_only_be_written_is_taken_as_it_is, leave_torn, scratch_remove)
{
    (void)state;
    unreadable = EACCES;
    struct output_file *file = open_file();
    assert_int_equal(start.torn, TORN_LINE_NONE);
    output_file_close(file);
    scratch_assert_holds_text("a", "one\ntwo");
}
