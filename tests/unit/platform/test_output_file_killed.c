/* After a run was killed, all that it wrote is in the file. The next run repairs the torn line. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/common/torn_end.h"
#include "collector/platform/output_file.h"
#include "tests/support/platform/again.h"
#include "tests/support/platform/outputs.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define LINE_SIZE 100
#define BLOCK     ((size_t)700 * LINE_SIZE)

/* --- the run that is killed ------------------------------------------------------------------- */

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

/*
 * Writes numbered lines in blocks until it is killed, and a mark to standard output after each
 * block. It also ends when the test closes the other end of standard output.
 */
static int write_until_killed(const char *path)
{
    static char block[BLOCK];
    struct output_file *file;
    struct output_file *marks;
    struct output_file_start start;
    if (output_file_open_append(path, 0, NULL, &file, &start, NULL) != 0 ||
        output_file_open_stdout(&marks, NULL) != 0)
        return 1;
    for (size_t blocks = 0; blocks < 200; blocks++) {
        size_t written = 0;
        fill_block(block, blocks * (BLOCK / LINE_SIZE));
        for (size_t sent = 0; sent < BLOCK; sent += written)
            if (output_file_write(file, block + sent, BLOCK - sent, &written, NULL) != WRITE_OK)
                return 1;
        if (output_write(marks, "+", 1, &written) != WRITE_OK)
            return 1;
    }
    return 2;
}

/* --- the test --------------------------------------------------------------------------------- */

static void assert_whole_lines(size_t at_least)
{
    size_t size;
    char *found = scratch_read("file", &size);
    assert_int_equal(size % LINE_SIZE, 0);
    assert_true(size >= at_least);
    for (size_t line = 0; line < size / LINE_SIZE; line++) {
        char expected[32];
        int digits = snprintf(expected, sizeof expected, "%zu ", line);
        assert_memory_equal(found + line * LINE_SIZE, expected, (size_t)digits);
        assert_int_equal(found[line * LINE_SIZE + LINE_SIZE - 1], '\n');
    }
    free(found);
}

/*
 * Counts the marks that the run writes, until there are `at_least` or the run has ended. Returns
 * their number.
 */
static size_t count_marks(struct again *again, size_t at_least)
{
    char marks[64];
    size_t count = 0;
    for (size_t got = 1; count < at_least && got != 0; count += got) {
        size_t left = at_least - count;
        got = test_stream_read(again->output, marks, left < sizeof marks ? left : sizeof marks);
    }
    return count;
}

/* Only a hang reaches this limit. */
#define PATIENCE_MS 20000

/* A killed process may end late, so the next run waits for it. */
static void after_a_kill_all_that_was_written_is_there_and_nothing_torn(void **state)
{
    (void)state;
    torn_end_set_patience(PATIENCE_MS);
    for (size_t round = 1; round <= 20; round++) {
        char path[600];
        snprintf(path, sizeof path, "%s", scratch_path("file"));
        struct again again = again_start(path);
        size_t blocks = count_marks(&again, round);
        assert_int_equal(blocks, round);
        again_kill(&again);
        struct output_file *file;
        struct output_file_start start;
        assert_int_equal(output_file_open_append(path, 0, NULL, &file, &start, NULL), 0);
        assert_int_not_equal(start.torn, TORN_LINE_ENDED);
        output_file_close(file);
        blocks += count_marks(&again, SIZE_MAX);
        assert_int_not_equal(again_end(&again), 1);
        assert_whole_lines(blocks * BLOCK);
        assert_int_equal(remove(path), 0);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return write_until_killed(argv[1]);
#define with_directory(test) cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)
    const struct CMUnitTest tests[] = {
        with_directory(after_a_kill_all_that_was_written_is_there_and_nothing_torn),
    };
    return cmocka_run_group_tests_name("output file, killed", tests, NULL, NULL);
}
