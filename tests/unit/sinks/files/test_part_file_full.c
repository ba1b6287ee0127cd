/* Tests a file under construction on a full disk: a block that was written in part is removed. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "collector/platform/data_file.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

static struct error error;

static struct part_file *open_new(const char *name)
{
    struct part_file *file;
    if (part_file_open_new(scratch_path(name), strlen(scratch_path("")), 0, &file, &error) !=
        PART_DONE)
        fail_msg("%s: %s", name, error.text);
    return file;
}

static void append(struct part_file *file, const char *text)
{
    if (!part_file_append(file, text, strlen(text), &error))
        fail_msg("%s", error.text);
}

static void limit_size(rlim_t size)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void assert_full(struct part_file *file, const char *text)
{
    assert_false(part_file_append(file, text, strlen(text), &error));
    assert_non_null(strstr(error.text, "File too large"));
}

static int no_limit(void **state)
{
    limit_size(RLIM_INFINITY);
    return scratch_remove(state);
}

TEST_WITH(what_is_written_in_part_is_cut_off_again, scratch_make, no_limit)
{
    (void)state;
    struct part_file *file = open_new("a.part");
    append(file, "one\n");
    limit_size(10);
    assert_full(file, "longer than that\n");
    scratch_assert_holds_text("a.part", "one\n");
    assert_full(file, "again and again\n");
    append(file, "short\n");
    assert_full(file, "x\n"); /* there is no room for a single byte */
    assert_int_equal(part_file_size(file), 10);
    limit_size(RLIM_INFINITY);
    append(file, "longer than that\n");
    assert_int_equal(part_file_complete(file, scratch_path("a"), &error), PART_DONE);
    scratch_assert_holds_text("a", "one\nshort\nlonger than that\n");
}

TEST_WITH(of_a_file_that_was_emptied_too_only_the_torn_part_is_cut_off, scratch_make, no_limit)
{
    (void)state;
    struct part_file *file = open_new("a.part");
    append(file, "much that was written before\n");
    others_empty("a.part");
    append(file, "one\n");
    assert_int_equal(part_file_size(file), 4);
    limit_size(10);
    assert_full(file, "longer than that\n");
    limit_size(RLIM_INFINITY);
    scratch_assert_holds_text("a.part", "one\n");
    part_file_close(file);
}

TEST_WITH(what_another_program_appended_stays, scratch_make, no_limit)
{
    (void)state;
    struct part_file *file = open_new("a.part");
    append(file, "one\n");
    others_append("a.part", "other\n");
    assert_true(part_file_is_there(file));
    assert_int_equal(part_file_size(file), 10);
    append(file, "two\n");
    limit_size(16);
    assert_full(file, "longer\n");
    limit_size(RLIM_INFINITY);
    scratch_assert_holds_text("a.part", "one\nother\ntwo\n");
    part_file_close(file);
}
