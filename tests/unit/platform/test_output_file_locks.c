/*
 * Tests torn lines on systems whose kernel does not report other writers. There, programs of this
 * kind recognise each other by locks.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "collector/platform/output_file.h"
#include "tests/support/platform/outputs.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

static void a_line_in_a_file_that_another_of_us_has_locked_is_ended(void **state)
{
    (void)state;
    struct output_file *file = NULL;
    struct output_file_start start;
    struct error error;
    scratch_put_text("file", "whole\nhal");
    int other = open(scratch_path("file"), O_RDONLY);
    assert_in_range(other, 0, 1000);
    assert_int_equal(flock(other, LOCK_SH), 0);
    assert_int_equal(output_file_open_append(scratch_path("file"), 0, NULL, &file, &start, &error),
                     0);
    output_file_close(file);
    close(other);
    assert_int_equal(start.torn, TORN_LINE_ENDED);
    assert_int_equal(start.torn_size, 3);
    scratch_assert_holds_text("file", "whole\nhal\n");
}

static void a_file_that_is_open_is_locked_until_it_is_closed(void **state)
{
    (void)state;
    struct output_file *first = output_open_name("file");
    struct output_file *second = output_open_name("file");
    int other = open(scratch_path("file"), O_RDONLY);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
    output_file_close(first);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
    output_file_close(second);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
    close(other);
}

int main(void)
{
#define with_directory(test) cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)
    const struct CMUnitTest tests[] = {
        with_directory(a_line_in_a_file_that_another_of_us_has_locked_is_ended),
        with_directory(a_file_that_is_open_is_locked_until_it_is_closed),
    };
    return cmocka_run_group_tests_name("output file, locks", tests, NULL, NULL);
}
