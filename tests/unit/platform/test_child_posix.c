/* Tests a child program on POSIX: signals, and the exact position of its reading. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/platform/child.h"
#include "tests/support/platform/child_watching.h"
#include "tests/support/test.h"

static int set_up(void **state)
{
    signal(SIGPIPE, SIG_IGN); /* as the collector does */
    return child_set_up(state);
}

TEST_WITH(the_signal_that_ended_it_is_reported, set_up, child_tear_down)
{
    start(*state, "kill -9 $$");
    assert_ends(*state, true, SIGKILL);
    assert_int_equal(child_close_input(*state), 0);
    start(*state, "/missing/no-such-program 2>&-");
    assert_ends(*state, false, 127);
}

/*
 * The process that started this one may have ignored SIGCHLD. Then the system does not report how a
 * child ended.
 */
TEST_WITH(how_it_ended_is_reported_to_one_that_ignores_ends, set_up, child_tear_down)
{
    signal(SIGCHLD, SIG_IGN);
    start(*state, "exit 3");
    assert_ends(*state, false, 3);
}

/* A library in this process may wait for any child and get the end of ours. */
TEST_WITH(an_end_that_somebody_else_was_told_is_one_that_is_not_known, set_up, child_tear_down)
{
    struct child *child = *state;
    struct child_end end = {0};
    start(child, "exit 3");
    while (waitpid(-1, NULL, 0) < 0 && errno == EINTR)
        continue;
    assert_int_equal(child_look(child, &end), CHILD_ENDED);
    assert_true(end.unknown);
    assert_int_equal(end.number, 0);
}

TEST_WITH(what_it_has_not_read_is_known_after_its_end, set_up, child_tear_down)
{
    start(*state, "exec dd bs=5 count=1 of=/dev/null 2>/dev/null");
    assert_int_equal(write_text(*state, "123456789012"), WRITE_OK);
    assert_ends(*state, false, 0);
    assert_int_equal(child_unread(*state), 7);
    assert_int_equal(write_text(*state, "x"), WRITE_CLOSED);
    assert_int_equal(child_close_input(*state), 7);
    assert_int_equal(child_input(*state), NO_HANDLE);
}

TEST_WITH(how_far_it_has_read_is_known_while_it_runs, set_up, child_tear_down)
{
    start(*state, "dd bs=4 count=1 of=/dev/null 2>/dev/null; exec sleep 100");
    assert_int_equal(write_text(*state, "123456"), WRITE_OK);
    wait_until_unread(*state, 2);
}

/* Opens a pipe with descriptors from 10, because the shell commands of the tests use lower ones. */
static void open_pipe(int ends[2])
{
    int low[2];
    assert_int_equal(pipe(low), 0);
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD, 10);
        assert_true(ends[i] >= 10);
        close(low[i]);
    }
}

/*
 * The shell starts a background process and ends. The process keeps the input open as descriptor 3,
 * waits for a word on descriptor 8, and then writes to descriptor 9 how many bytes it reads.
 */
TEST_WITH(what_was_written_to_what_outlives_it_is_taken_back_too, set_up, child_tear_down)
{
    int gate[2], count[2];
    char digits[32];
    open_pipe(gate);
    open_pipe(count);
    assert_int_equal(dup2(gate[0], 8), 8);
    assert_int_equal(dup2(count[1], 9), 9);
    start(*state, "exec 3<&0; { read x <&8; exec wc -c <&3 >&9; } & exit 4");
    close(8);
    close(9);
    assert_int_equal(write_text(*state, "12345"), WRITE_OK);
    assert_ends(*state, false, 4);
    assert_int_equal(write_text(*state, "678"), WRITE_OK);
    assert_int_equal(child_close_input(*state), 8);
    assert_int_equal(write(gate[1], "go\n", 3), 3);
    close(count[1]);
    ssize_t got = read(count[0], digits, sizeof digits);
    assert_int_equal(got, 2);
    assert_memory_equal(digits, "0\n", 2);
    close(gate[0]);
    close(gate[1]);
    close(count[0]);
}

TEST_WITH(one_that_has_closed_its_input_is_deaf_until_it_ends, set_up, child_tear_down)
{
    struct child_end end;
    /* "exec" makes the sleep replace the shell. Otherwise the sleep would outlive the shell. */
    start(*state, "exec <&-; exec sleep 100");
    wait_until(*state, CHILD_NOT_READING, &end);
    assert_int_equal(write_text(*state, "x"), WRITE_CLOSED);
    assert_int_equal(child_close_input(*state), 0);
    assert_int_equal(child_look(*state, &end), CHILD_RUNS);
    child_terminate(*state, false);
    assert_ends(*state, true, SIGTERM);
}

/* The shell and its children ignore SIGTERM, so they are killed as a group. */
TEST_WITH(one_that_does_not_obey_is_ended_with_all_that_it_started, set_up, child_tear_down)
{
    struct child_end end;
    struct pollfd broken;
    start(*state, "trap '' TERM; dd bs=1 count=1 of=/dev/null 2>/dev/null; sleep 100; sleep 100");
    assert_int_equal(write_text(*state, "1"), WRITE_OK);
    wait_until_unread(*state, 0); /* dd reads the byte after the shell has set the trap */
    child_terminate(*state, false);
    assert_int_equal(child_look(*state, &end), CHILD_RUNS);
    child_terminate(*state, true);
    assert_ends(*state, true, SIGKILL);
    /* The pipe breaks only when the sleep, which has it open too, has ended. */
    broken = (struct pollfd){.fd = (int)child_input(*state)};
    assert_int_equal(poll(&broken, 1, 10000), 1);
    assert_true((broken.revents & POLLERR) != 0);
}

/* The child must not inherit this process's ignored and blocked signals. */
TEST_WITH(it_starts_with_signals_as_they_are_by_default, set_up, child_tear_down)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    assert_int_equal(sigprocmask(SIG_BLOCK, &blocked, NULL), 0);
    start(*state, "kill -PIPE $$; exit 1");
    assert_ends(*state, true, SIGPIPE);
    assert_int_equal(child_close_input(*state), 0);
    start(*state, "kill -TERM $$; exit 1");
    assert_ends(*state, true, SIGTERM);
    assert_int_equal(sigprocmask(SIG_UNBLOCK, &blocked, NULL), 0);
}
