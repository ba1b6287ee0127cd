/* Tests lines that a killed run left without a newline: how the next start repairs them. */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/output_file.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/platform/standard_stream.h"
#include "tests/support/test.h"

static struct output_file *open_name(const char *name, struct output_file_start *start)
{
    struct output_file *file = NULL;
    struct error error = {.text = ""};
    if (output_file_open_append(scratch_path(name), 0, NULL, &file, start, &error) != 0)
        fail_msg("%s", error.text);
    return file;
}

static void write_text(struct output_file *file, const char *text)
{
    size_t written = 0;
    assert_int_equal(output_file_write(file, text, strlen(text), &written, NULL), WRITE_OK);
    assert_int_equal(written, strlen(text));
}

static void assert_start(enum torn_line torn, uint64_t torn_size, const char *holds)
{
    struct output_file_start start;
    struct output_file *file = open_name("file", &start);
    assert_int_equal(start.torn, torn);
    assert_int_equal(start.torn_size, torn_size);
    write_text(file, "new\n");
    output_file_close(file);
    scratch_assert_holds_text("file", holds);
}

static void whole_lines_are_left_alone(void **state)
{
    (void)state;
    assert_start(TORN_LINE_NONE, 0, "new\n");
    assert_start(TORN_LINE_NONE, 0, "new\nnew\n");
    scratch_put_text("file", "");
    assert_start(TORN_LINE_NONE, 0, "new\n");
    scratch_put_text("file", "\n");
    assert_start(TORN_LINE_NONE, 0, "\nnew\n");
}

static void a_torn_line_is_cut_off(void **state)
{
    (void)state;
    scratch_put_text("file", "whole\ntorn");
    assert_start(TORN_LINE_CUT, 4, "whole\nnew\n");
    scratch_put_text("file", "torn");
    assert_start(TORN_LINE_CUT, 4, "new\n");
    scratch_put_text("file", "\nt");
    assert_start(TORN_LINE_CUT, 1, "\nnew\n");
}

/*
 * The file has a whole line and a torn one. The sizes are around multiples of the size of a read.
 */
static void a_torn_line_of_any_size_a_sink_writes_is_cut_off(void **state)
{
    (void)state;
    static const size_t sizes[] = {1,
                                   2,
                                   16382,
                                   16383,
                                   16384,
                                   16385,
                                   32769,
                                   65536,
                                   99999,
                                   OUTPUT_FILE_TORN_MAX - 1,
                                   OUTPUT_FILE_TORN_MAX};
    char *bytes = malloc(OUTPUT_FILE_TORN_MAX + 6);
    assert_non_null(bytes);
    memset(bytes, 't', OUTPUT_FILE_TORN_MAX + 6);
    bytes[5] = '\n';
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        scratch_put("file", bytes, 6 + sizes[i]);
        assert_start(TORN_LINE_CUT, sizes[i], "ttttt\nnew\n");
    }
    free(bytes);
}

static void more_than_a_sink_ever_writes_is_ended_not_cut(void **state)
{
    (void)state;
    size_t size = OUTPUT_FILE_TORN_MAX + 1;
    char *bytes = malloc(size + 1);
    assert_non_null(bytes);
    memset(bytes, 't', size);
    scratch_put("file", bytes, size);
    struct output_file_start start;
    output_file_close(open_name("file", &start));
    assert_int_equal(start.torn, TORN_LINE_ENDED);
    assert_int_equal(start.kept, TORN_LINE_LONG);
    bytes[size] = '\n';
    scratch_assert_holds("file", bytes, size + 1);
    free(bytes);
}

static void a_line_that_another_program_may_be_writing_is_ended(void **state)
{
    (void)state;
    scratch_put_text("file", "whole\nhal");
    test_stream other = test_stream_open_to_append(scratch_path("file"));
    assert_start(TORN_LINE_ENDED, 3, "whole\nhal\nnew\n");
    test_stream_close(&other);
}

static void who_only_reads_the_file_does_not_keep_it_from_being_cut(void **state)
{
    (void)state;
    scratch_put_text("file", "whole\ntorn");
    test_stream reader = test_stream_open_to_read(scratch_path("file"));
    assert_start(TORN_LINE_CUT, 4, "whole\nnew\n");
    test_stream_close(&reader);
}

int main(void)
{
#define with_directory(test) cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)
    const struct CMUnitTest tests[] = {
        with_directory(whole_lines_are_left_alone),
        with_directory(a_torn_line_is_cut_off),
        with_directory(a_torn_line_of_any_size_a_sink_writes_is_cut_off),
        with_directory(more_than_a_sink_ever_writes_is_ended_not_cut),
        with_directory(a_line_that_another_program_may_be_writing_is_ended),
        with_directory(who_only_reads_the_file_does_not_keep_it_from_being_cut),
    };
    return cmocka_run_group_tests_name("output file, torn lines", tests, NULL, NULL);
}
