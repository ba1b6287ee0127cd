/*
 * Tests standard output of every kind: a write never blocks and does not affect other processes
 * that share it.
 */
#include <string.h>

#include "collector/platform/output_file.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/outputs.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/platform/standard_stream.h"
#include "tests/support/test.h"

static int tear_down(void **state)
{
    standard_stream_lead_back(STREAM_OUTPUT);
    return scratch_remove(state);
}

/* --- pipes ------------------------------------------------------------------------------------ */

static struct output_file *open_pipe(struct test_pipe *pipe)
{
    *pipe = test_pipe_open();
    standard_stream_lead(STREAM_OUTPUT, pipe->writer);
    return output_open_stdout();
}

static void close_pipe(struct output_file *file, struct test_pipe *pipe)
{
    output_file_close(file);
    test_pipe_close(pipe);
}

static size_t read_numbers(const struct test_pipe *pipe, size_t at, size_t size)
{
    uint8_t block[OUTPUT_BLOCK];
    size_t got = test_stream_read(pipe->reader, block, size < sizeof block ? size : sizeof block);
    assert_true(got > 0);
    assert_numbers(block, got, at);
    return got;
}

static void assert_reads(const struct test_pipe *pipe, size_t at, size_t size)
{
    for (size_t got; size != 0; size -= got) {
        got = read_numbers(pipe, at, size);
        at += got;
    }
}

TEST_WITH(a_full_pipe_would_block_and_loses_nothing, scratch_make, tear_down)
{
    (void)state;
    struct test_pipe pipe;
    struct output_file *file = open_pipe(&pipe);
    size_t accepted = output_fill(file);
    assert_true(output_file_handle(file) != NO_HANDLE);
    assert_false(output_file_is_regular(file));
    assert_false(output_file_is_terminal(file));
    size_t read = 0;
    size_t more;
    int64_t until = patience_until();
    while (output_offer_numbers(file, accepted, &more) == WRITE_WOULD_BLOCK) {
        if (read < accepted + OUTPUT_BLOCK) /* bytes are in the pipe, or will be */
            read += read_numbers(&pipe, read, OUTPUT_BLOCK);
        else
            assert_true(patience(until));
    }
    assert_true(more > 0);
    assert_reads(&pipe, read, accepted + more - read);
    close_pipe(file, &pipe);
}

TEST_WITH(a_pipe_is_written_byte_for_byte, scratch_make, tear_down)
{
    (void)state;
    struct test_pipe pipe;
    char found[16] = "";
    struct output_file *file = open_pipe(&pipe);
    output_put_text(file, "a\nb\r\n\x1a\n");
    assert_int_equal(test_stream_read(pipe.reader, found, sizeof found), 7);
    assert_memory_equal(found, "a\nb\r\n\x1a\n", 7);
    close_pipe(file, &pipe);
}

TEST_WITH(a_pipe_is_at_its_beginning_until_it_is_written_to, scratch_make, tear_down)
{
    (void)state;
    struct test_pipe pipe;
    struct output_file *file = open_pipe(&pipe);
    assert_true(output_file_at_beginning(file));
    output_put_text(file, "x");
    assert_false(output_file_at_beginning(file));
    assert_false(output_file_roll_back(file, 1));
    close_pipe(file, &pipe);
}

TEST_WITH(a_pipe_whose_reader_goes_is_closed, scratch_make, tear_down)
{
    (void)state;
    struct test_pipe pipe;
    struct output_file *file = open_pipe(&pipe);
    output_put_text(file, "line\n");
    test_stream_close(&pipe.reader);
    output_assert_closed(file);
    close_pipe(file, &pipe);
}

TEST_WITH(a_full_pipe_whose_reader_goes_is_closed, scratch_make, tear_down)
{
    (void)state;
    struct test_pipe pipe;
    size_t written;
    struct output_file *file = open_pipe(&pipe);
    size_t accepted = output_fill(file);
    test_stream_close(&pipe.reader);
    while (output_write_numbers(file, accepted, &written) == WRITE_OK)
        accepted += written; /* bytes that were written before the close */
    assert_int_equal(written, 0);
    output_assert_closed(file);
    close_pipe(file, &pipe);
}

TEST_WITH(a_pipe_whose_reader_has_gone_already_is_closed, scratch_make, tear_down)
{
    (void)state;
    struct test_pipe pipe = test_pipe_open();
    standard_stream_lead(STREAM_OUTPUT, pipe.writer);
    test_stream_close(&pipe.reader);
    struct output_file *file = output_open_stdout();
    output_assert_closed(file);
    close_pipe(file, &pipe);
}

TEST_WITH(a_reader_that_goes_is_noticed_without_a_write, scratch_make, tear_down)
{
    (void)state;
    struct test_pipe pipe;
    struct wakeup *wakeup;
    struct error error;
    struct output_file *file = open_pipe(&pipe);
    assert_int_equal(wakeup_create(&wakeup, &error), 0);
    assert_int_equal(wakeup_wait(wakeup, output_file_handle(file), false, 0), WAKEUP_TIMEOUT);
    test_stream_close(&pipe.reader);
    assert_int_equal(wakeup_wait(wakeup, output_file_handle(file), false, 20000), WAKEUP_BROKEN);
    wakeup_destroy(wakeup);
    close_pipe(file, &pipe);
}

/*
 * The reader must get each byte at most once. If a write is withdrawn, the bytes that were not
 * accepted must not be in the pipe, and those that were accepted must not be written again.
 */
TEST_WITH(of_a_write_that_is_withdrawn_the_reader_gets_what_was_accepted, scratch_make, tear_down)
{
    (void)state;
    static const size_t reads[] = {0, 1, 100, 4096, 5000, 9999, 10000};
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++) {
        struct test_pipe pipe;
        uint8_t rest[OUTPUT_BLOCK];
        struct output_file *file = open_pipe(&pipe);
        size_t accepted = output_fill(file);
        assert_reads(&pipe, 0, reads[i]);
        accepted += output_file_cancel(file);
        output_file_close(file);
        standard_stream_lead_back(STREAM_OUTPUT);
        test_stream_close(&pipe.writer);
        assert_reads(&pipe, reads[i], accepted - reads[i]);
        assert_int_equal(test_stream_read(pipe.reader, rest, sizeof rest), 0);
        test_pipe_close(&pipe);
    }
}

TEST_WITH(after_a_withdrawal_other_bytes_are_written, scratch_make, tear_down)
{
    (void)state;
    struct test_pipe pipe;
    char found[8] = "";
    struct output_file *file = open_pipe(&pipe);
    size_t accepted = output_fill(file);
    accepted += output_file_cancel(file);
    assert_reads(&pipe, 0, accepted);
    output_put_text(file, "other\n");
    assert_int_equal(test_stream_read(pipe.reader, found, sizeof found), 6);
    assert_string_equal(found, "other\n");
    assert_int_equal(output_file_cancel(file), 0); /* no bytes are in flight */
    close_pipe(file, &pipe);
}

/* --- files ------------------------------------------------------------------------------------ */

TEST_WITH(a_file_is_shared_with_its_other_owners, scratch_make, tear_down)
{
    (void)state;
    scratch_put_text("file", "a longer text that was there before");
    test_stream other = test_stream_open(scratch_path("file"));
    standard_stream_lead(STREAM_OUTPUT, other);
    struct output_file *file = output_open_stdout();
    assert_true(output_file_handle(file) == NO_HANDLE);
    output_put_text(file, "ours\n");
    test_stream_write(other, "theirs\n", 7); /* both use the same file offset */
    output_put_text(file, "ours\n");
    output_file_close(file);
    test_stream_write(other, "theirs\n", 7);
    test_stream_close(&other);
    scratch_assert_holds_text("file", "ours\ntheirs\nours\ntheirs\n");
}

TEST_WITH(what_somebody_has_removed_leaves_no_hole, scratch_make, tear_down)
{
    (void)state;
    test_stream other = test_stream_open(scratch_path("file"));
    standard_stream_lead(STREAM_OUTPUT, other);
    struct output_file *file = output_open_stdout();
    output_put_text(file, "one\ntw");
    assert_false(output_file_is_cut(file));
    others_empty("file");
    assert_true(output_file_is_cut(file));
    assert_true(output_file_roll_back(file, 2));
    output_put_text(file, "two\n");
    assert_false(output_file_is_cut(file));
    output_file_close(file);
    test_stream_close(&other);
    scratch_assert_holds_text("file", "two\n");
}

TEST_WITH(what_is_taken_back_leaves_no_hole, scratch_make, tear_down)
{
    (void)state;
    test_stream other = test_stream_open(scratch_path("file"));
    standard_stream_lead(STREAM_OUTPUT, other);
    struct output_file *file = output_open_stdout();
    output_put_text(file, "one\ntw");
    assert_true(output_file_roll_back(file, 2));
    output_put_text(file, "three\n");
    test_stream_seek(other, 2); /* another process moves the shared offset */
    assert_false(output_file_roll_back(file, 1));
    output_file_close(file);
    test_stream_close(&other);
    scratch_assert_holds_text("file", "one\nthree\n");
}

/* --- no standard output ----------------------------------------------------------------------- */

static void assert_refused(void)
{
    struct output_file *file = NULL;
    struct error error = {.text = ""};
    int result = output_file_open_stdout(&file, &error);
    standard_stream_lead_back(STREAM_OUTPUT);
    assert_int_equal(result, -1);
    assert_null(file);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    assert_non_null(strstr(error.text, "standard output"));
}

TEST_WITH(a_closed_standard_output_is_refused, scratch_make, tear_down)
{
    (void)state;
    standard_stream_lead(STREAM_OUTPUT, NO_STREAM);
    assert_refused();
}

TEST_WITH(a_standard_output_for_reading_is_refused, scratch_make, tear_down)
{
    (void)state;
    scratch_put_text("file", "text");
    test_stream reader = test_stream_open_to_read(scratch_path("file"));
    standard_stream_lead(STREAM_OUTPUT, reader);
    assert_refused();
    test_stream_close(&reader);
}
