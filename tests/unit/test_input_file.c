/* Reading by name: what waits and what does not, where a pipe ends, and cancelling. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/input_file.h"
#include "collector/thread.h"
#include "tests/support/patience.h"
#include "tests/support/scratch_directory.h"

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

static struct input_file *open_fifo(void)
{
    assert_int_equal(mkfifo(scratch_path("fifo"), 0600), 0);
    return open_path(scratch_path("fifo"), true);
}

/* A writer of the FIFO, which must have its reader: otherwise this would wait. */
static int open_writer(void)
{
    int writer = open(scratch_path("fifo"), O_WRONLY | O_NONBLOCK);
    assert_true(writer >= 0);
    return writer;
}

static void write_text(int writer, const char *text)
{
    assert_int_equal(write(writer, text, strlen(text)), strlen(text));
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

static void a_regular_file_is_read_to_its_end(void **state)
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

static void a_cancelled_regular_file_gives_nothing_more(void **state)
{
    (void)state;
    scratch_put_text("file", "sixteen bytes: 0, and more");
    struct input_file *file = open_path(scratch_path("file"), false);
    assert_reads_text(file, "sixteen bytes: 0");
    input_file_cancel(file);
    assert_reads(file, INPUT_CANCELLED);
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
    snprintf(expected, sizeof expected, "%s: cannot be opened: %s", path, why);
    assert_string_equal(looking.text, expected);
    assert_string_equal(opening.text, expected);
    assert_int_equal(looking.code, EXIT_CODE_BAD_INPUT);
    assert_int_equal(opening.code, EXIT_CODE_BAD_INPUT);
}

static void what_cannot_be_opened_is_refused_with_its_reason(void **state)
{
    (void)state;
    assert_refused(scratch_path("missing"), "No such file or directory");
    assert_refused(scratch_path(""), "Is a directory");
}

/* Linux has no other file that can be opened and not read: address 0 is nobody's. */
static void a_failure_gives_the_reason(void **state)
{
    (void)state;
    struct input_file *file = open_path("/proc/self/mem", false);
    char bytes[16];
    size_t got;
    struct error error = {.text = ""};
    assert_int_equal(input_file_read(file, bytes, sizeof bytes, &got, &error), INPUT_FAILED);
    assert_string_equal(error.text, "Input/output error");
    assert_int_equal(error.code, EXIT_CODE_BAD_INPUT);
    input_file_close(file);
}

/* --- pipes ------------------------------------------------------------------------------------ */

static void a_fifo_without_a_writer_is_opened_and_has_not_ended(void **state)
{
    (void)state;
    struct input_file *file = open_fifo();
    for (int i = 0; i < 3; i++)
        assert_reads(file, INPUT_WOULD_WAIT);
    input_file_close(file);
}

static void a_fifo_ends_when_its_last_writer_has_gone(void **state)
{
    (void)state;
    struct input_file *file = open_fifo();
    int first = open_writer();
    assert_reads(file, INPUT_WOULD_WAIT);
    write_text(first, "one");
    input_file_wait(file);
    assert_reads_text(file, "one");
    assert_reads(file, INPUT_WOULD_WAIT);
    int second = open_writer();
    close(first);
    assert_reads(file, INPUT_WOULD_WAIT);
    write_text(second, "two");
    close(second);
    input_file_wait(file);
    assert_reads_text(file, "two");
    input_file_wait(file);
    assert_reads(file, INPUT_END);
    input_file_close(file);
}

static void a_writer_that_writes_nothing_ends_it(void **state)
{
    (void)state;
    struct input_file *file = open_fifo();
    close(open_writer());
    input_file_wait(file);
    assert_reads(file, INPUT_END);
    input_file_close(file);
}

/* As standard input, whose description is shared with whoever started the program. */
static void an_inherited_pipe_stays_as_it_is_for_its_other_owners(void **state)
{
    (void)state;
    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    int before = fcntl(ends[0], F_GETFL);
    struct input_file *file = open_path(path, true);
    assert_reads(file, INPUT_WOULD_WAIT);
    assert_int_equal(fcntl(ends[0], F_GETFL), before);
    write_text(ends[1], "piped");
    assert_reads_text(file, "piped");
    close(ends[1]);
    assert_reads(file, INPUT_END);
    close(ends[0]);
    input_file_close(file);
}

/* --- cancelling ------------------------------------------------------------------------------- */

static void what_was_cancelled_neither_waits_nor_reads(void **state)
{
    (void)state;
    struct input_file *file = open_fifo();
    int writer = open_writer();
    for (int i = 0; i < 3; i++)
        input_file_cancel(file);
    input_file_wait(file);
    input_file_wait(file);
    write_text(writer, "late");
    assert_reads(file, INPUT_CANCELLED);
    assert_reads(file, INPUT_CANCELLED);
    close(writer);
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

/* Whether the reader is about to wait, waits, or has come to the end of it differs by the round. */
static void cancelling_ends_the_wait_of_another_thread(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(scratch_path("fifo"), 0600), 0);
    for (int round = 0; round < 200; round++) {
        struct reader reader = {.file = open_path(scratch_path("fifo"), true)};
        struct thread *thread;
        struct error error;
        assert_int_equal(thread_start(&thread, "reader", read_on, &reader, &error), 0);
        int64_t until = patience_until();
        while (atomic_load(&reader.waits) == 0)
            assert_true(patience(until));
        for (int i = 0; i < round; i++)
            patience(until);
        input_file_cancel(reader.file);
        thread_join(thread);
        assert_int_equal(reader.last, INPUT_CANCELLED);
        assert_int_equal(reader.waits, 1); /* it slept, and did not turn round and round */
        input_file_close(reader.file);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)
    const struct CMUnitTest tests[] = {
        TEST(a_regular_file_is_read_to_its_end),
        TEST(a_cancelled_regular_file_gives_nothing_more),
        TEST(what_cannot_be_opened_is_refused_with_its_reason),
        TEST(a_failure_gives_the_reason),
        TEST(a_fifo_without_a_writer_is_opened_and_has_not_ended),
        TEST(a_fifo_ends_when_its_last_writer_has_gone),
        TEST(a_writer_that_writes_nothing_ends_it),
        TEST(an_inherited_pipe_stays_as_it_is_for_its_other_owners),
        TEST(what_was_cancelled_neither_waits_nor_reads),
        TEST(cancelling_ends_the_wait_of_another_thread),
    };
    return cmocka_run_group_tests_name("input file", tests, NULL, NULL);
}
