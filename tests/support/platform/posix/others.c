#include "tests/support/platform/others.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

const struct others_words others_words = {
    .no_file = "No such file",
    .no_folder = "No such file",
    .below_file = "Not a directory",
    .folder = "Is a directory",
    .folder_read = "Is a directory",
    .link = "ymbolic link", /* the words that glibc and musl have in common */
    .long_name = "name too long",
};

void others_remove(const char *name)
{
    assert_int_equal(unlink(scratch_path(name)), 0);
}

void others_remove_folder(const char *name)
{
    assert_int_equal(rmdir(scratch_path(name)), 0);
}

void others_move(const char *from, const char *to)
{
    assert_int_equal(rename(scratch_path(from), scratch_path(to)), 0);
}

void others_append(const char *name, const char *text)
{
    FILE *file = fopen(scratch_path(name), "a");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

void others_empty(const char *name)
{
    others_cut(name, 0);
}

void others_cut(const char *name, uint64_t size)
{
    assert_int_equal(truncate(scratch_path(name), (off_t)size), 0);
}

void others_set_time(const char *name, int64_t seconds)
{
    const struct timespec times[2] = {{.tv_sec = (time_t)seconds}, {.tv_sec = (time_t)seconds}};
    assert_int_equal(utimensat(AT_FDCWD, scratch_path(name), times, 0), 0);
}

bool others_link(const char *to, const char *name)
{
    assert_int_equal(symlink(to, scratch_path(name)), 0);
    return true;
}

bool others_make_pipe(const char *name)
{
    assert_int_equal(mkfifo(scratch_path(name), 0600), 0);
    return true;
}
