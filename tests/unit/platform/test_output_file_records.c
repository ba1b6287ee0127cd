/* Tests files of formats without lines: how the record that a killed run left torn is repaired. */
#include <stdlib.h>
#include <string.h>

#include "collector/base/progress.h"
#include "collector/platform/output_file.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/platform/standard_stream.h"
#include "tests/support/test.h"

/*
 * Returns the length of the whole records. In the format of these tests, a file begins with "#",
 * and each record is a length in two bytes and this number of bytes 'x'.
 */
static size_t whole(const uint8_t *bytes, size_t size, bool at_start, bool *foreign)
{
    size_t at = 0;
    *foreign = at_start && bytes[0] != '#';
    if (*foreign)
        return 0;
    if (at_start)
        at = 1;
    while (size - at >= 2) {
        size_t length = (size_t)bytes[at] * 256 + bytes[at + 1];
        size_t there = size - at - 2 < length ? size - at - 2 : length;
        for (size_t i = 0; i < there; i++)
            *foreign = *foreign || bytes[at + 2 + i] != 'x';
        if (*foreign || there < length)
            break;
        at += 2 + length;
    }
    return at;
}

static const struct output_file_format format = {.name = "format=test", .whole = whole};

static uint8_t *content;
static size_t size;

static int set_up(void **state)
{
    size = 0;
    content = malloc((size_t)4 << 20);
    return content == NULL ? -1 : scratch_make(state);
}

static int tear_down(void **state)
{
    free(content);
    return scratch_remove(state);
}

static void put(const char *bytes, size_t count)
{
    memcpy(content + size, bytes, count);
    size += count;
}

static void put_record(size_t length)
{
    content[size] = (uint8_t)(length >> 8);
    content[size + 1] = (uint8_t)length;
    memset(content + size + 2, 'x', length);
    size += 2 + length;
}

static int open_file(struct output_file_start *start, struct error *error)
{
    struct output_file *file = NULL;
    int result = output_file_open_append(scratch_path("file"), 0, &format, &file, start, error);
    output_file_close(file);
    return result;
}

/* Asserts that opening a file with `content` keeps only the first `kept` bytes. */
static void assert_kept(size_t kept)
{
    struct output_file_start start;
    struct error error = {.text = ""};
    scratch_put("file", (const char *)content, size);
    if (open_file(&start, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(start.torn, kept == size ? TORN_LINE_NONE : TORN_LINE_CUT);
    assert_int_equal(start.torn_size, size - kept);
    scratch_assert_holds("file", (const char *)content, kept);
}

static void assert_refused(const char *why)
{
    struct output_file_start start;
    struct error error = {.text = ""};
    scratch_put("file", (const char *)content, size);
    assert_int_equal(open_file(&start, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    assert_non_null(strstr(error.text, "cannot append format=test to "));
    if (strstr(error.text, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, why);
    scratch_assert_holds("file", (const char *)content, size);
}

static void whole_records_are_left_alone(void **state)
{
    (void)state;
    assert_kept(0);
    put("#", 1);
    assert_kept(1);
    put_record(0);
    put_record(10);
    assert_kept(size);
}

static void a_torn_record_is_cut_off_wherever_it_was_torn(void **state)
{
    (void)state;
    put("#", 1);
    put_record(5);
    size_t end = size;
    put_record(300);
    for (size--; size > end; size--)
        assert_kept(end);
}

/* The file needs several reads, and some of its records are in two of them. */
static void the_torn_end_of_a_long_file_is_found(void **state)
{
    (void)state;
    put("#", 1);
    for (size_t i = 0; size < (size_t)3 << 20; i++)
        put_record(i * 997 % 65536);
    assert_kept(size);
    size_t end = size;
    put_record(65535);
    size -= 1;
    assert_kept(end);
    size = end + 1;
    assert_kept(end);
}

static struct progress last;
static size_t reports, ends;

static void watch(const struct progress *now)
{
    if (now == NULL) {
        ends++;
        return;
    }
    assert_true(now->done > last.done);
    reports++;
    last = *now;
}

/*
 * While a long file is checked, the progress is reported, because the check of a large file takes
 * seconds.
 */
static void how_far_a_long_file_is_checked_is_reported(void **state)
{
    (void)state;
    struct output_file_start start;
    struct error error = {.text = ""};
    put("#", 1);
    while (size < (size_t)3 << 20)
        put_record(60000);
    scratch_put("file", (const char *)content, size);
    progress_watch(watch);
    int result = open_file(&start, &error);
    progress_watch(NULL);
    assert_int_equal(result, 0);
    assert_in_range(reports, 10, 100);
    assert_int_equal(ends, 1);
    assert_string_equal(last.doing, "checking a file,");
    assert_string_equal(last.name, "format=test");
    assert_int_equal(last.done, size);
    assert_int_equal(last.total, size);
    assert_int_equal(last.unit, PROGRESS_BYTES);
}

static void what_holds_something_else_is_not_opened(void **state)
{
    (void)state;
    put("{\"json\":1}\n", 11);
    assert_refused("it holds something else");
    size = 0;
    put("#", 1);
    put_record(5);
    put("\0\5xx?", 5);
    assert_refused("it holds something else");
}

static void a_torn_record_that_another_program_may_be_writing_is_not_cut(void **state)
{
    (void)state;
    put("#", 1);
    put_record(5);
    put("\0", 1);
    scratch_put("file", (const char *)content, size);
    test_stream other = test_stream_open_to_append(scratch_path("file"));
    assert_refused("another program may be writing it");
    test_stream_close(&other);
    assert_kept(size - 1);
}

/* If the last record is complete, the file can be opened while another program writes to it. */
static void whole_records_are_opened_beside_another_writer(void **state)
{
    (void)state;
    put("#", 1);
    put_record(5);
    scratch_put("file", (const char *)content, size);
    test_stream other = test_stream_open_to_append(scratch_path("file"));
    assert_kept(size);
    test_stream_close(&other);
}

int main(void)
{
#define with_directory(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        with_directory(whole_records_are_left_alone),
        with_directory(a_torn_record_is_cut_off_wherever_it_was_torn),
        with_directory(the_torn_end_of_a_long_file_is_found),
        with_directory(how_far_a_long_file_is_checked_is_reported),
        with_directory(what_holds_something_else_is_not_opened),
        with_directory(a_torn_record_that_another_program_may_be_writing_is_not_cut),
        with_directory(whole_records_are_opened_beside_another_writer),
    };
    return cmocka_run_group_tests_name("output file, records", tests, NULL, NULL);
}
