#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "collector/platform/input_file.h"
#include "collector/platform/thread.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/platform/written_pipe.h"
#include "tests/support/test.h"

static struct input_file *open_path(const char *path, bool live)
{
    struct input_file *file = NULL;
    struct error error = {.text = ""};
    bool looks_live = !live;
    if (input_file_look(path, &looks_live, &error) != 0 ||
        input_file_open(path, &file, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(looks_live, live);
    assert_int_equal(input_file_is_live(file), live);
    return file;
}

static struct written_pipe *pipe_of_test;

static int make_pipe(void **state)
{
    if (scratch_make(state) != 0)
        return -1;
    pipe_of_test = written_pipe_make();
    return pipe_of_test != NULL ? 0 : -1;
}

static int remove_pipe(void **state)
{
    written_pipe_remove(pipe_of_test);
    return scratch_remove(state);
}

static struct input_file *open_pipe(void)
{
    return open_path(written_pipe_path(pipe_of_test), true);
}

static void write_text(const char *text)
{
    assert_true(written_pipe_write(pipe_of_test, text, strlen(text)));
}

static void assert_reads(struct input_file *file, enum input_result expected)
{
    char bytes[16];
    size_t got = 0;
    struct error error = {.text = ""};
    assert_int_equal(input_file_read(file, bytes, sizeof bytes, &got, &error), expected);
}

static void assert_reads_text(struct input_file *file, const char *text)
{
    char bytes[16];
    size_t got = 0;
    struct error error = {.text = ""};
    assert_int_equal(input_file_read(file, bytes, sizeof bytes, &got, &error), INPUT_BYTES);
    assert_int_equal(got, strlen(text));
    assert_memory_equal(bytes, text, got);
}

/* --- regular files ---------------------------------------------------------------------------- */

TEST_WITH(a_regular_file_is_read_to_its_end, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("file", "sixteen bytes: 0, and more");
    struct input_file *file = open_path(scratch_path("file"), false);
    assert_reads_text(file, "sixteen bytes: 0");
    assert_reads_text(file, ", and more");
    assert_reads(file, INPUT_END);
    assert_reads(file, INPUT_END);
    input_file_close(file);
}

TEST_WITH(a_cancelled_regular_file_gives_nothing_more, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("file", "sixteen bytes: 0, and more");
    struct input_file *file = open_path(scratch_path("file"), false);
    assert_reads_text(file, "sixteen bytes: 0");
    input_file_cancel(file);
    assert_reads(file, INPUT_CANCELLED);
    input_file_close(file);
}

TEST_WITH(a_file_that_was_written_to_since_it_was_opened_has_changed, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("file", "first");
    struct input_file *file = open_path(scratch_path("file"), false);
    assert_reads_text(file, "first");
    assert_false(input_file_has_changed(file));
    scratch_put_text("file", "a longer text");
    assert_true(input_file_has_changed(file));
    input_file_close(file);
}

TEST_WITH(a_file_that_was_replaced_has_not_changed, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("file", "first");
    scratch_put_text("new", "a longer text");
    struct input_file *file = open_path(scratch_path("file"), false);
    /*
     * The file is renamed away first, because Windows cannot rename another one to the name of an
     * open file.
     */
    assert_true(folder_rename_file(scratch_path("file"), scratch_path("old")));
    assert_true(folder_rename_file(scratch_path("new"), scratch_path("file")));
    assert_reads_text(file, "first");
    assert_false(input_file_has_changed(file));
    input_file_close(file);
}

TEST_WITH(a_live_file_does_not_change, make_pipe, remove_pipe)
{
    (void)state;
    struct input_file *file = open_pipe();
    assert_true(written_pipe_begin(pipe_of_test));
    write_text("more");
    assert_false(input_file_has_changed(file));
    input_file_close(file);
}

static void assert_refused(const char *path, const char *why)
{
    struct input_file *file = NULL;
    struct error looking = {.text = ""}, opening = {.text = ""};
    bool live;
    assert_int_equal(input_file_look(path, &live, &looking), -1);
    assert_int_equal(input_file_open(path, &file, &opening), -1);
    assert_null(file);
    char expected[sizeof looking.text];
    snprintf(expected, sizeof expected, "%s: cannot be opened: ", path);
    assert_int_equal(strncmp(looking.text, expected, strlen(expected)), 0);
    assert_non_null(strstr(looking.text + strlen(expected), why));
    assert_string_equal(opening.text, looking.text);
    assert_int_equal(looking.code, EXIT_CODE_BAD_INPUT);
    assert_int_equal(opening.code, EXIT_CODE_BAD_INPUT);
}

TEST_WITH(what_cannot_be_opened_is_refused_with_its_reason, scratch_make, scratch_remove)
{
    (void)state;
    assert_refused(scratch_path("missing"), others_words.no_file);
    assert_refused(scratch_path(""), others_words.folder_read);
}

/* --- pipes ------------------------------------------------------------------------------------ */

TEST_WITH(a_pipe_without_a_writer_is_opened_and_has_not_ended, make_pipe, remove_pipe)
{
    (void)state;
    struct input_file *file = open_pipe();
    for (int i = 0; i < 3; i++)
        assert_reads(file, INPUT_WOULD_WAIT);
    input_file_close(file);
}

TEST_WITH(a_pipe_ends_when_its_writer_has_gone_and_all_is_read, make_pipe, remove_pipe)
{
    (void)state;
    struct input_file *file = open_pipe();
    assert_true(written_pipe_begin(pipe_of_test));
    assert_reads(file, INPUT_WOULD_WAIT);
    write_text("one");
    input_file_wait(file);
    assert_reads_text(file, "one");
    assert_reads(file, INPUT_WOULD_WAIT);
    write_text("sixteen bytes: 0, and more");
    input_file_wait(file);
    assert_reads_text(file, "sixteen bytes: 0");
    written_pipe_end(pipe_of_test);
    assert_reads_text(file, ", and more");
    input_file_wait(file);
    assert_reads(file, INPUT_END);
    input_file_close(file);
}

TEST_WITH(what_was_written_last_is_read_though_its_writer_has_gone, make_pipe, remove_pipe)
{
    (void)state;
    struct input_file *file = open_pipe();
    assert_true(written_pipe_begin(pipe_of_test));
    write_text("last");
    written_pipe_end(pipe_of_test);
    assert_reads_text(file, "last");
    input_file_wait(file);
    assert_reads(file, INPUT_END);
    input_file_close(file);
}

TEST_WITH(a_writer_that_writes_nothing_ends_it, make_pipe, remove_pipe)
{
    (void)state;
    struct input_file *file = open_pipe();
    assert_true(written_pipe_begin(pipe_of_test));
    written_pipe_end(pipe_of_test);
    input_file_wait(file);
    assert_reads(file, INPUT_END);
    input_file_close(file);
}

/* --- cancelling ------------------------------------------------------------------------------- */

TEST_WITH(what_was_cancelled_neither_waits_nor_reads, make_pipe, remove_pipe)
{
    (void)state;
    struct input_file *file = open_pipe();
    assert_true(written_pipe_begin(pipe_of_test));
    for (int i = 0; i < 3; i++)
        input_file_cancel(file);
    input_file_wait(file);
    input_file_wait(file);
    write_text("late");
    assert_reads(file, INPUT_CANCELLED);
    assert_reads(file, INPUT_CANCELLED);
    input_file_close(file);
}

struct reader {
    struct input_file *file;
    _Atomic int waits;
    enum input_result last;
};

static void read_on(void *argument)
{
    struct reader *reader = argument;
    char bytes[16];
    size_t got;
    struct error error;
    while ((reader->last = input_file_read(reader->file, bytes, sizeof bytes, &got, &error)) ==
           INPUT_WOULD_WAIT) {
        atomic_fetch_add(&reader->waits, 1);
        input_file_wait(reader->file);
    }
}

/*
 * The reader is cancelled at a different point in each round: before it waits, while it waits, or
 * at the end.
 */
TEST_WITH(cancelling_ends_the_wait_of_another_thread, make_pipe, remove_pipe)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct reader reader = {.file = open_pipe()};
        struct thread *thread;
        struct error error;
        assert_int_equal(thread_start(&thread, "reader", read_on, &reader, &error), 0);
        int64_t until = patience_until();
        while (atomic_load(&reader.waits) == 0)
            assert_true(patience(until));
        for (int i = 0; i < round % 20; i++)
            patience(until);
        input_file_cancel(reader.file);
        thread_join(thread);
        assert_int_equal(reader.last, INPUT_CANCELLED);
        assert_int_equal(reader.waits, 1); /* the reader slept; it did not poll */
        input_file_close(reader.file);
        written_pipe_remove(pipe_of_test);
        pipe_of_test = written_pipe_make();
        assert_non_null(pipe_of_test);
    }
}
