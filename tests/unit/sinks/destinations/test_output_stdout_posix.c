/*
 * Tests standard output on POSIX: shared file descriptions, sockets, terminals, and descriptor
 * numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/platform/output_file.h"
#include "tests/support/platform/outputs.h"
#include "tests/support/platform/standard_stream.h"
#include "tests/support/test.h"

static int restore_stdout(void **state)
{
    (void)state;
    standard_stream_lead_back(STREAM_OUTPUT);
    return 0;
}

static int flags_of(int fd)
{
    return fcntl(fd, F_GETFL);
}

/* --- non-blocking ----------------------------------------------------------------------------- */

/* The pipe is inherited and other processes use it too, so its flags must not change. */
static void a_pipe_s_description_is_left_as_it_was(void **state)
{
    (void)state;
    struct test_pipe pipe = test_pipe_open();
    int flags = flags_of((int)pipe.writer);
    assert_int_equal(flags & O_NONBLOCK, 0);
    standard_stream_lead(STREAM_OUTPUT, pipe.writer);
    struct output_file *file = output_open_stdout();
    assert_true(output_fill(file) >= PIPE_BUF);
    assert_int_equal(flags_of((int)pipe.writer), flags);
    output_file_close(file);
    assert_int_equal(flags_of(STDOUT_FILENO), flags);
    test_pipe_close(&pipe);
}

static void assert_reads(int reader, size_t size)
{
    uint8_t block[OUTPUT_BLOCK];
    size_t at = 0;
    for (ssize_t got; at < size; at += (size_t)got) {
        got = read(reader, block, sizeof block);
        assert_true(got > 0);
        assert_numbers(block, (size_t)got, at);
    }
    assert_int_equal(at, size);
}

static void a_full_socket_would_block_and_loses_nothing(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    int flags = flags_of(ends[1]);
    standard_stream_lead(STREAM_OUTPUT, ends[1]);
    struct output_file *file = output_open_stdout();
    uint8_t block[OUTPUT_BLOCK] = {0};
    size_t written = 0;
    assert_int_equal(output_file_write(file, block, OUTPUT_BLOCK, &written, NULL), WRITE_OK);
    assert_int_equal(written, OUTPUT_BLOCK); /* more than the socket reported as free */
    assert_int_equal(recv(ends[0], block, OUTPUT_BLOCK, MSG_WAITALL), OUTPUT_BLOCK);
    assert_reads(ends[0], output_fill(file));
    assert_int_equal(flags_of(ends[1]), flags);
    output_put_text(file, "line\n");
    close(ends[0]);
    output_assert_closed(file);
    output_assert_closed(file);
    output_file_close(file);
    close(ends[1]);
}

static void a_connection_that_is_reset_is_closed(void **state)
{
    (void)state;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000001)};
    struct sockaddr *generic = (struct sockaddr *)&address;
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    int client = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, generic, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, generic, &size), 0);
    assert_int_equal(connect(client, generic, size), 0);
    int reader = accept(listener, NULL, NULL);
    standard_stream_lead(STREAM_OUTPUT, client);
    struct output_file *file = output_open_stdout();
    output_put_text(file, "unread\n");
    struct linger at_once = {.l_onoff = 1};
    assert_int_equal(setsockopt(reader, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    close(reader);
    struct pollfd reset = {.fd = client};
    assert_int_equal(poll(&reset, 1, 10000), 1);
    output_assert_closed(file);
    output_file_close(file);
    close(client);
    close(listener);
}

static void a_stopped_terminal_would_block_and_a_hung_up_one_is_closed(void **state)
{
    (void)state;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_in_range(master, 0, 1000);
    assert_int_equal(grantpt(master), 0);
    assert_int_equal(unlockpt(master), 0);
    int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    int flags = flags_of(terminal);
    standard_stream_lead(STREAM_OUTPUT, terminal);
    struct output_file *file = output_open_stdout();
    assert_true(output_fill(file) > 0);
    assert_int_equal(flags_of(terminal), flags);
    close(master);
    output_assert_closed(file);
    output_file_close(file);
    close(terminal);
}

/* --- tests that need their own process -------------------------------------------------------- */

/*
 * Runs a function in a child process in which only the descriptor `given` is open, or no descriptor
 * if it is -1. Returns the exit code of the child.
 */
static int run_apart(int (*run)(void), int given)
{
    fflush(stdout);
    int handed_over[2]; /* reaches its end when the parent has closed `given` */
    assert_int_equal(pipe(handed_over), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char none;
        close(handed_over[1]);
        while (read(handed_over[0], &none, 1) != 0)
            continue;
        close(handed_over[0]);
        _exit(run());
    }
    close(given);
    close(handed_over[0]);
    close(handed_over[1]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/*
 * Returns the number of the descriptor that the next open file gets. The parent may have left
 * others open.
 */
static int next_number(void)
{
    int next = open("/dev/null", O_RDWR);
    close(next);
    return next;
}

static int open_without_streams(void)
{
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    output_file_hold_standard_streams();
    int next = next_number();
    struct output_file *file = NULL;
    if (next <= STDERR_FILENO)
        return 1;
    if (output_file_open_stdout(&file, NULL) == 0)
        return 2;
    if (write(STDERR_FILENO, "x", 1) != 1)
        return 3;
    output_file_hold_standard_streams(); /* no standard stream is missing any more */
    return next_number() == next ? 0 : 4;
}

static void missing_streams_are_not_taken_by_other_files(void **state)
{
    (void)state;
    assert_int_equal(run_apart(open_without_streams, -1), 0);
}

static int pipe_ends[2];

/* Runs as a user that may write to the inherited pipe, but cannot open it again. */
static int fill_as_nobody(void)
{
    if (setgid(65534) != 0 || setuid(65534) != 0)
        return 1;
    int again = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK);
    if (again >= 0)
        return 2;
    struct output_file *file = NULL;
    if (output_file_open_stdout(&file, NULL) != 0)
        return 3;
    size_t accepted = 0;
    size_t written = 0;
    uint8_t block[OUTPUT_BLOCK];
    memset(block, 0, sizeof block);
    enum write_result result;
    while ((result = output_file_write(file, block, OUTPUT_BLOCK, &written, NULL)) == WRITE_OK) {
        if (written > PIPE_BUF)
            return 4;
        accepted += written;
    }
    if (result != WRITE_WOULD_BLOCK || accepted < PIPE_BUF)
        return 5;
    uint8_t read_back[PIPE_BUF];
    size_t found = 0;
    while (found < accepted) {
        ssize_t got = read(pipe_ends[0], read_back, sizeof read_back);
        if (got <= 0)
            return 6;
        found += (size_t)got;
    }
    if (found != accepted || output_file_write(file, block, 1, &written, NULL) != WRITE_OK)
        return 7;
    close(pipe_ends[0]);
    return output_file_write(file, block, 1, &written, NULL) == WRITE_CLOSED ? 0 : 8;
}

static void a_pipe_that_cannot_be_opened_again_is_asked_before_each_write(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(pipe(pipe_ends), 0);
    standard_stream_lead(STREAM_OUTPUT, pipe_ends[1]);
    close(pipe_ends[1]);
    assert_int_equal(run_apart(fill_as_nobody, pipe_ends[0]), 0);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
#define with_stdout(test) cmocka_unit_test_teardown(test, restore_stdout)
    const struct CMUnitTest tests[] = {
        with_stdout(a_pipe_s_description_is_left_as_it_was),
        with_stdout(a_full_socket_would_block_and_loses_nothing),
        with_stdout(a_connection_that_is_reset_is_closed),
        with_stdout(a_stopped_terminal_would_block_and_a_hung_up_one_is_closed),
        with_stdout(missing_streams_are_not_taken_by_other_files),
        with_stdout(a_pipe_that_cannot_be_opened_again_is_asked_before_each_write),
    };
    return cmocka_run_group_tests_name("standard output, posix", tests, NULL, NULL);
}
