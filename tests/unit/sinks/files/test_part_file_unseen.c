/* When the system cannot look up a file under construction for a moment, it counts as existing. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/platform/data_file.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

int __real_fstat(int fd, struct stat *status);
int __real_lstat(const char *path, struct stat *status);
int __wrap_fstat(int fd, struct stat *status);
int __wrap_lstat(const char *path, struct stat *status);

static int fstat_fails; /* errno of each call; 0 means the call succeeds */
static int lstat_fails;
static struct error error;

int __wrap_fstat(int fd, struct stat *status)
{
    errno = fstat_fails;
    return fstat_fails != 0 ? -1 : __real_fstat(fd, status);
}

int __wrap_lstat(const char *path, struct stat *status)
{
    errno = lstat_fails;
    return lstat_fails != 0 ? -1 : __real_lstat(path, status);
}

static struct part_file *open_new(void)
{
    struct part_file *file;
    fstat_fails = lstat_fails = 0;
    if (part_file_open_new(scratch_path("a.part"), strlen(scratch_path("")), 0, &file, &error) !=
        PART_DONE)
        fail_msg("%s", error.text);
    if (!part_file_append(file, "one\n", 4, &error))
        fail_msg("%s", error.text);
    return file;
}

static void fail_to_look(int fstat_number, int lstat_number)
{
    fstat_fails = fstat_number;
    lstat_fails = lstat_number;
}

static void assert_unseen(int fstat_number, int lstat_number)
{
    struct part_file *file = open_new();
    fail_to_look(fstat_number, lstat_number);
    assert_true(part_file_is_there(file));
    assert_int_equal(part_file_complete(file, scratch_path("a"), &error), PART_FAILED);
    assert_non_null(strstr(error.text, "cannot look at it"));
    fail_to_look(0, 0);
    assert_int_equal(part_file_complete(file, scratch_path("a"), &error), PART_DONE);
    scratch_assert_holds_text("a", "one\n");
    others_remove("a");
}

TEST_WITH(what_cannot_be_looked_at_is_completed_later, scratch_make, scratch_remove)
{
    (void)state;
    assert_unseen(ENOMEM, 0);
    assert_unseen(0, EIO);
    assert_unseen(0, EACCES);
}

TEST_WITH(what_cannot_be_looked_at_is_not_removed, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file = open_new();
    fail_to_look(0, EIO);
    assert_false(part_file_remove(file, &error));
    assert_non_null(strstr(error.text, strerror(EIO)));
    fail_to_look(0, 0);
    scratch_assert_holds_text("a.part", "one\n");
}

TEST_WITH(a_path_that_is_no_longer_there_is_known_to_be_another_place, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file = open_new();
    fail_to_look(0, ENOENT);
    assert_false(part_file_is_there(file));
    assert_int_equal(part_file_complete(file, scratch_path("a"), &error), PART_MISSING);
    part_file_close(file);
}
