/*
 * Tests that the error of the system is reported if a file that was put aside cannot be opened
 * again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "sinks/files/live_file.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/sinks/file_set_files.h"
#include "tests/support/test.h"

static void limit_descriptors(rlim_t count, rlim_t *before)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (before != NULL)
        *before = limit.rlim_cur;
    limit.rlim_cur = count;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

TEST_WITH(one_without_a_descriptor_is_not_said_to_have_been_moved, scratch_make, scratch_remove)
{
    (void)state;
    struct counter files = {0};
    struct path_template *path = file_set_template("a");
    struct file_makings makings = {
        .content = {.name = "test", .encoder = file_set_lines(), .sync = SYNC_NEVER},
        .finished = file_set_finished_files(path, 0),
        .path = path,
        .files = &files,
    };
    struct live_file file = {.number = 0};
    struct error error = {.text = ""};
    rlim_t before;
    strcpy(file.path, scratch_path("a"));
    assert_true(live_file_open(&makings, &file, &error));
    assert_true(live_file_append(&file, "one\n", 4, &error));
    live_file_put_aside(&file);

    limit_descriptors(0, &before);
    bool opened = live_file_open(&makings, &file, &error);
    bool completed = live_file_complete(&makings, &file, &error);
    limit_descriptors(before, NULL);
    assert_false(opened);
    assert_false(completed);
    assert_non_null(strstr(error.text, strerror(EMFILE)));

    assert_true(live_file_open(&makings, &file, &error));
    assert_true(live_file_append(&file, "two\n", 4, &error));
    assert_true(live_file_complete(&makings, &file, &error));
    scratch_assert_holds_text("a", "one\ntwo\n");
    assert_int_equal(scratch_count(""), 1);
    finished_files_destroy(makings.finished);
    path_template_free(path);
}
