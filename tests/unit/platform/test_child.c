/* Tests a child program: the count of its unread input, and its end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/child.h"
#include "collector/platform/control.h"
#include "collector/platform/wakeup.h"
#include "tests/support/base/random_number.h"
#include "tests/support/platform/child_watching.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define PATIENCE_MS 10000

/* control_create makes a write to a closed pipe return an error instead of raising a signal. */
static struct control *control;
static struct wakeup *wakeup;

static int set_up(void **state)
{
    struct error error;
    return scratch_make(state) != 0 || control_create(&control, &error) != 0 ||
           wakeup_create(&wakeup, &error) != 0 || child_set_up(state) != 0;
}

static int tear_down(void **state)
{
    child_tear_down(state);
    wakeup_destroy(wakeup);
    control_destroy(control);
    return scratch_remove(state);
}

static void start_actor(struct child *child, const char *words)
{
    char command[2048];
    snprintf(command, sizeof command, "\"%s\" %s", TEST_ACTOR, words);
    start(child, command);
}

static enum wakeup_reason wait_for_input(const struct child *child, int timeout_ms)
{
    return wakeup_wait(wakeup, child_input(child), true, timeout_ms);
}

/* Waits until the actor has written a count to the file and closed it. Returns the count. */
static size_t counted(const char *name)
{
    char text[32] = {0};
    int64_t until = patience_until();
    FILE *file;
    while ((file = fopen(scratch_path(name), "rb")) == NULL)
        assert_true(patience(until));
    assert_int_not_equal(fread(text, 1, sizeof text - 1, file), 0);
    fclose(file);
    return (size_t)strtoul(text, NULL, 10);
}

TEST_WITH(how_it_ended_is_reported, set_up, tear_down)
{
    start(*state, "exit 3");
    assert_ends(*state, false, 3);
    assert_int_equal(child_close_input(*state), 0);
    start_actor(*state, "exit:7");
    assert_int_equal(child_close_input(*state), 0);
    assert_ends(*state, false, 7);
    struct child_end end;
    start(*state, "no-such-program-anywhere");
    wait_until(*state, CHILD_ENDED, &end);
    assert_int_not_equal(end.number, 0);
    assert_int_equal(child_close_input(*state), 0);
}

/* The command begins and ends with a quotation mark, and the shell must get it unchanged. */
TEST_WITH(a_command_is_the_shells_own, set_up, tear_down)
{
    char command[2048];
    snprintf(command, sizeof command, "\"%s\" \"out:a b\" exit:5 >\"%s\"", TEST_ACTOR,
             scratch_path("said"));
    start(*state, command);
    assert_ends(*state, false, 5);
    assert_int_equal(child_close_input(*state), 0);
    scratch_assert_holds_text("said", "a b");
}

TEST_WITH(what_it_has_not_read_is_known_after_its_end, set_up, tear_down)
{
    start_actor(*state, "read:5");
    assert_int_equal(write_text(*state, "123456789012"), WRITE_OK);
    assert_ends(*state, false, 0);
    assert_in_range(child_unread(*state), 7, 12);
    assert_int_equal(write_text(*state, "x"), WRITE_CLOSED);
    assert_int_equal(wait_for_input(*state, PATIENCE_MS), WAKEUP_BROKEN);
    assert_int_equal(child_close_input(*state), 7);
    assert_int_equal(child_input(*state), NO_HANDLE);
}

TEST_WITH(what_it_has_read_is_known_while_it_runs, set_up, tear_down)
{
    start_actor(*state, "read:4 sleep");
    assert_int_equal(write_text(*state, "1234"), WRITE_OK);
    wait_until_unread(*state, 0);
    assert_int_equal(wait_for_input(*state, PATIENCE_MS), WAKEUP_WRITABLE);
    assert_int_equal(write_text(*state, "56"), WRITE_OK);
    assert_int_equal(child_unread(*state), 2);
    assert_int_equal(child_close_input(*state), 2);
}

/*
 * The child ends, but a process that it started still has the input open. child_close_input takes
 * the unread bytes back, so that this process does not read them.
 */
TEST_WITH(what_is_left_is_taken_back_from_what_outlives_it, set_up, tear_down)
{
    char words[1024];
    snprintf(words, sizeof words, "\"spawn:await:%s count:%s\" exit:4", scratch_path("gate"),
             scratch_path("count"));
    start_actor(*state, words);
    assert_int_equal(write_text(*state, "12345"), WRITE_OK);
    assert_ends(*state, false, 4);
    assert_int_equal(child_close_input(*state), 5);
    scratch_put_text("gate", "");
    assert_int_equal(counted("count"), 0);
}

TEST_WITH(the_end_of_its_input_ends_a_program_that_reads_to_it, set_up, tear_down)
{
    start_actor(*state, "drain");
    assert_int_equal(write_text(*state, "12345"), WRITE_OK);
    wait_until_unread(*state, 0);
    assert_int_equal(child_close_input(*state), 0);
    assert_ends(*state, false, 0);
}

/*
 * Writes up to `blocks` blocks of the byte sequence that actor.c expects, until the pipe is full.
 * Returns the number of bytes written.
 */
static size_t write_row(struct child *child, size_t blocks)
{
    enum { PERIOD = 251, BLOCK = 10000 };
    static unsigned char row[PERIOD + BLOCK];
    size_t sum = 0;
    for (size_t i = 0; i < sizeof row; i++)
        row[i] = (unsigned char)(i % PERIOD);
    for (size_t i = 0; i < blocks; i++) {
        size_t written = 0;
        struct error error;
        const unsigned char *block = row + sum % PERIOD;
        enum write_result result = child_write(child, block, BLOCK, &written, &error);
        if (result == WRITE_WOULD_BLOCK && wait_for_input(child, PATIENCE_MS) == WAKEUP_WRITABLE)
            result = child_write(child, block, BLOCK, &written, &error);
        assert_int_equal(result, WRITE_OK);
        sum += written;
    }
    return sum;
}

/*
 * The child reads while the test takes back what is unread. The bytes that were read and those that
 * were taken back must add up to all bytes.
 */
TEST_WITH(what_is_taken_back_while_it_reads_follows_all_that_it_has_read, set_up, tear_down)
{
    uint64_t random = 3;
    for (int round = 0; round < TEST_TRIES(40); round++) {
        char name[32], words[512];
        snprintf(name, sizeof name, "count-%d", round);
        snprintf(words, sizeof words, "row:%s", scratch_path(name));
        start_actor(*state, words);
        size_t written = write_row(*state, 1 + next_random(&random) % 12);
        size_t taken_back = child_close_input(*state);
        assert_ends(*state, false, 0);
        assert_int_equal(counted(name) + taken_back, written);
    }
}

TEST_WITH(a_full_pipe_does_not_block, set_up, tear_down)
{
    static char block[1 << 20];
    size_t written = 0;
    struct error error;
    start_actor(*state, "sleep");
    assert_int_equal(child_write(*state, block, sizeof block, &written, &error), WRITE_OK);
    assert_in_range(written, 4096, sizeof block - 1);
    assert_int_equal(child_unread(*state), written);
    size_t more;
    assert_int_equal(child_write(*state, block, 1, &more, &error), WRITE_WOULD_BLOCK);
    assert_int_equal(wait_for_input(*state, 0), WAKEUP_TIMEOUT);
    assert_int_equal(child_close_input(*state), written);
}

TEST_WITH(one_that_is_ended_ends, set_up, tear_down)
{
    struct child_end end;
    start_actor(*state, "spawn:sleep sleep");
    child_terminate(*state, true);
    wait_until(*state, CHILD_ENDED, &end);
    assert_int_not_equal(end.number, 0);
    child_terminate(*state, true);
    child_terminate(*state, false);
}

TEST_WITH(destroying_ends_what_runs, set_up, tear_down)
{
    start_actor(*state, "sleep");
    assert_int_equal(write_text(*state, "unread"), WRITE_OK);
    child_destroy(*state);
    child_destroy(NULL);
    *state = child_create();
    assert_non_null(*state);
}
