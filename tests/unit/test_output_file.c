/* Files by their name: regular ones, named pipes and devices. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/output_file.h"
#include "tests/support/scratch_directory.h"

static struct output_file *open_path(const char *path)
{
    struct output_file *file = NULL;
    struct output_file_start start;
    struct error error = {.text = ""};
    if (output_file_open_append(path, NULL, &file, &start, &error) != 0)
        fail_msg("%s", error.text);
    assert_non_null(file);
    assert_int_equal(start.torn, TORN_LINE_NONE);
    return file;
}

static struct output_file *open_name(const char *name)
{
    return open_path(scratch_path(name));
}

static void write_text(struct output_file *file, const char *text)
{
    size_t written = 0;
    struct error error = {.text = ""};
    assert_int_equal(output_file_write(file, text, strlen(text), &written, &error), WRITE_OK);
    assert_int_equal(written, strlen(text));
}

/* Somebody else appends to the file. */
static void append_otherwise(const char *name, const char *text)
{
    FILE *file = fopen(scratch_path(name), "ab");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) < 0, 0);
    assert_int_equal(fclose(file), 0);
}

/* --- opening ---------------------------------------------------------------------------------- */

static void an_empty_file_is_at_its_beginning(void **state)
{
    (void)state;
    struct output_file *file = open_name("file");
    assert_true(output_file_at_beginning(file));
    write_text(file, "one\n");
    assert_false(output_file_at_beginning(file));
    assert_true(output_file_take_back(file, 4));
    assert_true(output_file_at_beginning(file));
    append_otherwise("file", "two\n");
    assert_false(output_file_at_beginning(file));
    output_file_close(file);
    file = open_name("file");
    assert_false(output_file_at_beginning(file));
    output_file_close(file);
}

static void a_file_is_made_or_appended_to(void **state)
{
    (void)state;
    mode_t mask = umask(022);
    for (int i = 0; i < 2; i++) {
        struct output_file *file = open_name("new");
        write_text(file, "one\n");
        write_text(file, "two\n");
        output_file_close(file);
    }
    umask(mask);
    struct stat status;
    assert_int_equal(stat(scratch_path("new"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0644);
    scratch_assert_holds_text("new", "one\ntwo\none\ntwo\n");
}

static void another_s_appending_is_not_overwritten(void **state)
{
    (void)state;
    struct output_file *file = open_name("shared");
    write_text(file, "ours\n");
    append_otherwise("shared", "theirs\n");
    write_text(file, "ours again\n");
    output_file_close(file);
    scratch_assert_holds_text("shared", "ours\ntheirs\nours again\n");
}

static void assert_refused(const char *path, const char *why)
{
    struct output_file *file = NULL;
    struct output_file_start start;
    struct error error = {.text = ""};
    assert_int_equal(output_file_open_append(path, NULL, &file, &start, &error), -1);
    assert_null(file);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    assert_non_null(strstr(error.text, path));
    if (strstr(error.text, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, why);
}

static void what_cannot_be_opened_is_refused_with_its_reason(void **state)
{
    (void)state;
    assert_refused(scratch_path("no/such/directory"), strerror(ENOENT));
    assert_refused(scratch_path("."), strerror(EISDIR));
    assert_refused("", strerror(ENOENT));
    assert_int_equal(mkfifo(scratch_path("pipe"), 0600), 0);
    assert_refused(scratch_path("pipe"), "nobody reads this pipe");
}

static void a_file_stays_itself_when_renamed(void **state)
{
    (void)state;
    struct output_file *file = open_name("a");
    assert_true(output_file_is_at(file, scratch_path("a")));
    assert_int_equal(rename(scratch_path("a"), scratch_path("b")), 0);
    assert_false(output_file_is_at(file, scratch_path("a")));
    assert_true(output_file_is_at(file, scratch_path("b")));
    scratch_put_text("a", "new");
    assert_false(output_file_is_at(file, scratch_path("a")));
    assert_int_equal(unlink(scratch_path("b")), 0);
    assert_false(output_file_is_at(file, scratch_path("b")));
    output_file_close(file);
}

/* --- writing ---------------------------------------------------------------------------------- */

static void a_regular_file_is_never_waited_for(void **state)
{
    (void)state;
    struct output_file *file = open_name("file");
    assert_true(output_file_handle(file) == NO_HANDLE);
    output_file_close(file);
    file = open_path("/dev/null");
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
    struct output_file *file = open_path("/dev/full");
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
    struct output_file *file = open_name("limited");
    size_t written = 0;
    struct error error;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    enum write_result first = output_file_write(file, "first\nsecond\n", 13, &written, &error);
    enum write_result second = output_file_write(file, "x", 1, &(size_t){0}, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(first, WRITE_OK);
    assert_int_equal(written, 6);
    assert_int_equal(second, WRITE_FAILED);
    write_text(file, "second\n");
    output_file_close(file);
    scratch_assert_holds_text("limited", "first\nsecond\n");
}

/* A named pipe whose reader is *reader. */
static struct output_file *open_pipe(int *reader)
{
    assert_int_equal(mkfifo(scratch_path("pipe"), 0600), 0);
    *reader = open(scratch_path("pipe"), O_RDONLY | O_NONBLOCK);
    assert_in_range(*reader, 0, 1000);
    return open_name("pipe");
}

static void a_full_named_pipe_would_block_and_loses_nothing(void **state)
{
    (void)state;
    int reader;
    struct output_file *file = open_pipe(&reader);
    uint8_t block[1000];
    size_t accepted = 0;
    enum write_result result;
    do {
        for (size_t i = 0; i < sizeof block; i++)
            block[i] = (uint8_t)((accepted + i) % 251);
        size_t written = 0;
        result = output_file_write(file, block, sizeof block, &written, NULL);
        accepted += written;
    } while (result == WRITE_OK);
    assert_int_equal(result, WRITE_WOULD_BLOCK);
    assert_true(accepted >= 4096);
    output_file_close(file);
    size_t at = 0;
    for (ssize_t got; (got = read(reader, block, sizeof block)) > 0;)
        for (ssize_t i = 0; i < got; i++)
            assert_int_equal(block[i], at++ % 251);
    assert_int_equal(at, accepted);
    close(reader);
}

static void a_named_pipe_whose_reader_goes_is_closed(void **state)
{
    (void)state;
    int reader;
    struct output_file *file = open_pipe(&reader);
    write_text(file, "line\n");
    close(reader);
    size_t written = 0;
    assert_int_equal(output_file_write(file, "x", 1, &written, NULL), WRITE_CLOSED);
    assert_int_equal(written, 0);
    output_file_close(file);
}

/* --- taking back ------------------------------------------------------------------------------ */

static void what_was_written_last_is_taken_back(void **state)
{
    (void)state;
    scratch_put_text("file", "before\n");
    struct output_file *file = open_name("file");
    write_text(file, "one\n");
    write_text(file, "two\nthr");
    assert_true(output_file_take_back(file, 3));
    scratch_assert_holds_text("file", "before\none\ntwo\n");
    write_text(file, "four\n");
    assert_true(output_file_take_back(file, 0));
    assert_true(output_file_take_back(file, 9)); /* over two writes */
    scratch_assert_holds_text("file", "before\none\n");
    assert_true(output_file_take_back(file, 4));
    assert_false(output_file_take_back(file, 1)); /* that was not ours */
    output_file_close(file);
    scratch_assert_holds_text("file", "before\n");
}

static void what_another_wrote_is_never_taken_back(void **state)
{
    (void)state;
    struct output_file *file = open_name("file");
    write_text(file, "one\n");
    append_otherwise("file", "other\n");
    assert_false(output_file_take_back(file, 1));
    write_text(file, "two\n");
    assert_false(output_file_take_back(file, 5)); /* four of ours, then one of theirs */
    scratch_assert_holds_text("file", "one\nother\ntwo\n");
    assert_true(output_file_take_back(file, 4));
    scratch_assert_holds_text("file", "one\nother\n");
    assert_int_equal(truncate(scratch_path("file"), 2), 0);
    assert_false(output_file_take_back(file, 1));
    output_file_close(file);
    scratch_assert_holds_text("file", "on");
}

static void a_pipe_takes_nothing_back(void **state)
{
    (void)state;
    int reader;
    struct output_file *file = open_pipe(&reader);
    write_text(file, "line\n");
    assert_false(output_file_take_back(file, 1));
    output_file_close(file);
    close(reader);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
#define with_directory(test) cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)
    const struct CMUnitTest tests[] = {
        with_directory(an_empty_file_is_at_its_beginning),
        with_directory(a_file_is_made_or_appended_to),
        with_directory(another_s_appending_is_not_overwritten),
        with_directory(what_cannot_be_opened_is_refused_with_its_reason),
        with_directory(a_file_stays_itself_when_renamed),
        with_directory(a_regular_file_is_never_waited_for),
        with_directory(a_full_device_is_a_failure_each_time),
        with_directory(a_file_at_its_limit_takes_what_it_can_then_fails),
        with_directory(a_full_named_pipe_would_block_and_loses_nothing),
        with_directory(a_named_pipe_whose_reader_goes_is_closed),
        with_directory(what_was_written_last_is_taken_back),
        with_directory(what_another_wrote_is_never_taken_back),
        with_directory(a_pipe_takes_nothing_back),
    };
    return cmocka_run_group_tests_name("output file", tests, NULL, NULL);
}
