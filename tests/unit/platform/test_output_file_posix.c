#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/platform/file_system.h"
#include "collector/platform/output_file.h"
#include "tests/support/platform/outputs.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

static void a_file_is_made_with_the_usual_mode(void **state)
{
    (void)state;
    mode_t mask = umask(002);
    output_file_close(output_open_name("new"));
    umask(mask);
    struct stat status;
    assert_int_equal(stat(scratch_path("new"), &status), 0);
    assert_int_equal(status.st_mode & 07777, FILE_MODE_USUAL);
}

/* --- devices and limits ----------------------------------------------------------------------- */

static void a_device_is_waited_for(void **state)
{
    (void)state;
    struct output_file *file = output_open("/dev/null");
    assert_true(output_file_handle(file) != NO_HANDLE);
    output_file_close(file);
}

static void assert_fails(struct output_file *file, const char *why)
{
    size_t written = 12345;
    struct error error = {.text = ""};
    assert_int_equal(output_file_write(file, "line\n", 5, &written, &error), WRITE_FAILED);
    assert_int_equal(written, 12345);
    assert_int_equal(error.code, EXIT_CODE_IO);
    assert_non_null(strstr(error.text, why));
}

static void a_full_device_is_a_failure_each_time(void **state)
{
    (void)state;
    struct output_file *file = output_open("/dev/full");
    assert_fails(file, strerror(ENOSPC));
    assert_fails(file, strerror(ENOSPC));
    output_file_close(file);
}

static void a_file_at_its_limit_takes_what_it_can_then_fails(void **state)
{
    (void)state;
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 6;
    struct output_file *file = output_open_name("limited");
    size_t written = 0;
    struct error error;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    enum write_result first = output_file_write(file, "first\nsecond\n", 13, &written, &error);
    enum write_result second = output_file_write(file, "x", 1, &(size_t){0}, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(first, WRITE_OK);
    assert_int_equal(written, 6);
    assert_int_equal(second, WRITE_FAILED);
    output_put_text(file, "second\n");
    output_file_close(file);
    scratch_assert_holds_text("limited", "first\nsecond\n");
}

/* --- named pipes ------------------------------------------------------------------------------ */

static void a_pipe_that_nobody_reads_is_refused(void **state)
{
    (void)state;
    struct output_file *file = NULL;
    struct output_file_start start;
    struct error error = {.text = ""};
    assert_int_equal(mkfifo(scratch_path("pipe"), 0600), 0);
    assert_int_equal(output_file_open_append(scratch_path("pipe"), 0, NULL, &file, &start, &error),
                     -1);
    assert_null(file);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    assert_non_null(strstr(error.text, scratch_path("pipe")));
    assert_non_null(strstr(error.text, "this pipe has no reader"));
}

static struct output_file *open_pipe(int *reader)
{
    assert_int_equal(mkfifo(scratch_path("pipe"), 0600), 0);
    *reader = open(scratch_path("pipe"), O_RDONLY | O_NONBLOCK);
    assert_in_range(*reader, 0, 1000);
    return output_open_name("pipe");
}

static void a_full_named_pipe_would_block_and_loses_nothing(void **state)
{
    (void)state;
    int reader;
    struct output_file *file = open_pipe(&reader);
    uint8_t block[4096];
    size_t accepted = output_fill(file);
    assert_true(accepted >= sizeof block);
    output_file_close(file);
    size_t at = 0;
    for (ssize_t got; (got = read(reader, block, sizeof block)) > 0; at += (size_t)got)
        assert_numbers(block, (size_t)got, at);
    assert_int_equal(at, accepted);
    close(reader);
}

static void a_named_pipe_whose_reader_goes_is_closed(void **state)
{
    (void)state;
    int reader;
    struct output_file *file = open_pipe(&reader);
    output_put_text(file, "line\n");
    close(reader);
    output_assert_closed(file);
    output_file_close(file);
}

static void a_pipe_takes_nothing_back(void **state)
{
    (void)state;
    int reader;
    struct output_file *file = open_pipe(&reader);
    output_put_text(file, "line\n");
    assert_false(output_file_roll_back(file, 1));
    output_file_close(file);
    close(reader);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
#define with_directory(test) cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)
    const struct CMUnitTest tests[] = {
        with_directory(a_file_is_made_with_the_usual_mode),
        with_directory(a_device_is_waited_for),
        with_directory(a_full_device_is_a_failure_each_time),
        with_directory(a_file_at_its_limit_takes_what_it_can_then_fails),
        with_directory(a_pipe_that_nobody_reads_is_refused),
        with_directory(a_full_named_pipe_would_block_and_loses_nothing),
        with_directory(a_named_pipe_whose_reader_goes_is_closed),
        with_directory(a_pipe_takes_nothing_back),
    };
    return cmocka_run_group_tests_name("output file, posix", tests, NULL, NULL);
}
