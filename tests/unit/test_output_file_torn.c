/* Lines that a killed run left without their end: what the next start does about them. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/output_file.h"
#include "tests/support/scratch_directory.h"

/* Opens the file and says what was done; it is the caller's to close. */
static struct output_file *open_name(const char *name, struct output_file_start *start)
{
    struct output_file *file = NULL;
    struct error error = {.text = ""};
    if (output_file_open_append(scratch_path(name), NULL, &file, start, &error) != 0)
        fail_msg("%s", error.text);
    return file;
}

static void write_text(struct output_file *file, const char *text)
{
    size_t written = 0;
    assert_int_equal(output_file_write(file, text, strlen(text), &written, NULL), WRITE_OK);
    assert_int_equal(written, strlen(text));
}

/* Opens "file", writes a line and asserts what is then in it. */
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

/* A torn line behind a whole one, of sizes around those of the blocks that are read. */
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
    bytes[size] = '\n';
    scratch_assert_holds("file", bytes, size + 1);
    free(bytes);
}

static void a_line_that_another_program_may_be_writing_is_ended(void **state)
{
    (void)state;
    scratch_put_text("file", "whole\nhal");
    int other = open(scratch_path("file"), O_WRONLY | O_APPEND);
    assert_in_range(other, 0, 1000);
    assert_start(TORN_LINE_ENDED, 3, "whole\nhal\nnew\n");
    close(other);
}

/* Where the kernel cannot say who writes, programs like this one are known by their lock. */
static void a_line_in_a_file_that_another_of_us_has_locked_is_ended(void **state)
{
    (void)state;
    scratch_put_text("file", "whole\nhal");
    int other = open(scratch_path("file"), O_RDONLY);
    assert_in_range(other, 0, 1000);
    assert_int_equal(flock(other, LOCK_SH), 0);
    assert_start(TORN_LINE_ENDED, 3, "whole\nhal\nnew\n");
    close(other);
}

static void a_file_that_is_open_is_locked_until_it_is_closed(void **state)
{
    (void)state;
    struct output_file_start start;
    struct output_file *first = open_name("file", &start);
    struct output_file *second = open_name("file", &start);
    int other = open(scratch_path("file"), O_RDONLY);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
    output_file_close(first);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
    output_file_close(second);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
    close(other);
}

static void who_only_reads_the_file_does_not_keep_it_from_being_cut(void **state)
{
    (void)state;
    scratch_put_text("file", "whole\ntorn");
    int reader = open(scratch_path("file"), O_RDONLY);
    assert_in_range(reader, 0, 1000);
    assert_start(TORN_LINE_CUT, 4, "whole\nnew\n");
    close(reader);
}

/* --- a run that is killed --------------------------------------------------------------------- */

#define LINE_SIZE 100
#define BLOCK     ((size_t)700 * LINE_SIZE)

static void fill_block(char *block, size_t first)
{
    for (size_t i = 0; i < BLOCK / LINE_SIZE; i++) {
        char *line = block + i * LINE_SIZE;
        memset(line, 'x', LINE_SIZE);
        int digits = snprintf(line, LINE_SIZE, "%zu", first + i);
        line[digits] = ' ';
        line[LINE_SIZE - 1] = '\n';
    }
}

/* Writes numbered lines in blocks until it is killed; *done counts those whose write returned. */
static void write_until_killed(_Atomic size_t *done)
{
    static char block[BLOCK];
    struct output_file *file;
    struct output_file_start start;
    alarm(60); /* where nobody does it */
    if (output_file_open_append(scratch_path("file"), NULL, &file, &start, NULL) != 0)
        _exit(1);
    for (size_t at = 0;;) {
        size_t written = 0;
        fill_block(block, at / LINE_SIZE);
        for (size_t sent = 0; sent < BLOCK; sent += written) {
            if (output_file_write(file, block + sent, BLOCK - sent, &written, NULL) != WRITE_OK)
                _exit(1);
            at += written;
            atomic_store(done, at);
        }
        while (at > 200 * BLOCK)
            pause(); /* who was to kill it is late */
    }
}

static void assert_whole_lines(size_t at_least)
{
    FILE *file = fopen(scratch_path("file"), "rb");
    assert_non_null(file);
    char found[LINE_SIZE + 1];
    size_t lines = 0;
    for (; fgets(found, sizeof found, file) != NULL; lines++) {
        char expected[32];
        int digits = snprintf(expected, sizeof expected, "%zu ", lines);
        assert_int_equal(strlen(found), LINE_SIZE);
        assert_int_equal(found[LINE_SIZE - 1], '\n');
        assert_memory_equal(found, expected, (size_t)digits);
    }
    fclose(file);
    assert_true(lines * LINE_SIZE >= at_least / LINE_SIZE * LINE_SIZE);
}

/* The killed run may still be on its way out while the next one starts: nobody waits for it. */
static void after_a_kill_all_that_was_written_is_there_and_nothing_torn(void **state)
{
    (void)state;
    void *shared = mmap(NULL, sizeof(_Atomic size_t), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    _Atomic size_t *done = shared;
    for (size_t round = 1; round <= 20; round++) {
        atomic_store(done, 0);
        unlink(scratch_path("file"));
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            write_until_killed(done);
        int ended = 0;
        while (atomic_load(done) < round * BLOCK && waitpid(child, &ended, WNOHANG) == 0)
            continue;
        kill(child, SIGKILL);
        struct output_file_start start;
        struct output_file *file = open_name("file", &start);
        size_t written = atomic_load(done);
        assert_int_not_equal(start.torn, TORN_LINE_ENDED);
        output_file_close(file);
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_true(WIFSIGNALED(ended));
        assert_whole_lines(written);
    }
    munmap(shared, sizeof *done);
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
        with_directory(a_line_in_a_file_that_another_of_us_has_locked_is_ended),
        with_directory(a_file_that_is_open_is_locked_until_it_is_closed),
        with_directory(who_only_reads_the_file_does_not_keep_it_from_being_cut),
        with_directory(after_a_kill_all_that_was_written_is_there_and_nothing_torn),
    };
    return cmocka_run_group_tests_name("output file, torn lines", tests, NULL, NULL);
}
