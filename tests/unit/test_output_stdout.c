/* Standard output, wherever it leads: it never blocks, and its other owners notice nothing. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/output_file.h"
#include "tests/support/scratch_directory.h"

/* --- standard output, taken aside ------------------------------------------------------------- */

static int aside = -1;

/* Makes `fd` standard output, as long as the test runs; it stays the test's as well. */
static void become_stdout(int fd)
{
    assert_in_range(fd, 0, 1000);
    fflush(stdout);
    aside = dup(STDOUT_FILENO);
    assert_int_equal(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
}

static int restore_stdout(void **state)
{
    if (aside >= 0) {
        dup2(aside, STDOUT_FILENO);
        close(aside);
    }
    aside = -1;
    return state != NULL ? scratch_remove(state) : 0;
}

static struct output_file *open_stdout(void)
{
    struct output_file *file = NULL;
    struct error error = {.text = ""};
    if (output_file_open_stdout(&file, &error) != 0)
        fail_msg("%s", error.text);
    return file;
}

static enum write_result write_text(struct output_file *file, const char *text)
{
    size_t written = 0;
    enum write_result result = output_file_write(file, text, strlen(text), &written, NULL);
    assert_int_equal(written, result == WRITE_OK ? strlen(text) : 0);
    return result;
}

/* --- what does not block ---------------------------------------------------------------------- */

#define BLOCK 10000

/* Writes the numbers 0 to 250, over and over, until it would block. Returns the bytes accepted. */
static size_t fill(struct output_file *file)
{
    uint8_t block[BLOCK];
    size_t accepted = 0;
    size_t written;
    for (;;) {
        for (size_t i = 0; i < BLOCK; i++)
            block[i] = (uint8_t)((accepted + i) % 251);
        written = 0;
        if (output_file_write(file, block, BLOCK, &written, NULL) != WRITE_OK)
            break;
        accepted += written;
    }
    assert_int_equal(output_file_write(file, block, BLOCK, &written, NULL), WRITE_WOULD_BLOCK);
    return accepted;
}

static void assert_reads(int reader, size_t size)
{
    uint8_t block[BLOCK];
    size_t at = 0;
    while (at < size) {
        ssize_t got = read(reader, block, sizeof block);
        assert_true(got > 0);
        for (ssize_t i = 0; i < got; i++)
            assert_int_equal(block[i], at++ % 251);
    }
    assert_int_equal(at, size);
}

static int flags_of(int fd)
{
    return fcntl(fd, F_GETFL);
}

static void a_full_pipe_would_block_and_loses_nothing(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int flags = flags_of(ends[1]);
    become_stdout(ends[1]);
    struct output_file *file = open_stdout();
    size_t accepted = fill(file);
    assert_true(accepted >= PIPE_BUF);
    assert_true(output_file_handle(file) != NO_HANDLE);
    assert_reads(ends[0], accepted);
    assert_int_equal(write_text(file, "more"), WRITE_OK);
    /* The description that we were given, which others share, is as it was. */
    assert_int_equal(flags & O_NONBLOCK, 0);
    assert_int_equal(flags_of(ends[1]), flags);
    output_file_close(file);
    assert_int_equal(flags_of(STDOUT_FILENO), flags);
    close(ends[0]);
    close(ends[1]);
}

static void a_pipe_is_at_its_beginning_until_it_is_written_to(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    become_stdout(ends[1]);
    struct output_file *file = open_stdout();
    assert_true(output_file_at_beginning(file));
    assert_int_equal(write_text(file, "x"), WRITE_OK);
    assert_false(output_file_at_beginning(file));
    output_file_close(file);
    close(ends[0]);
    close(ends[1]);
}

static void a_pipe_whose_reader_goes_is_closed(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    become_stdout(ends[1]);
    struct output_file *file = open_stdout();
    assert_int_equal(write_text(file, "line\n"), WRITE_OK);
    close(ends[0]);
    assert_int_equal(write_text(file, "line\n"), WRITE_CLOSED);
    output_file_close(file);
    close(ends[1]);
}

static void a_pipe_whose_reader_has_gone_already_is_closed(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    become_stdout(ends[1]);
    close(ends[0]);
    struct output_file *file = open_stdout();
    assert_int_equal(write_text(file, "line\n"), WRITE_CLOSED);
    output_file_close(file);
    close(ends[1]);
}

static void a_full_socket_would_block_and_loses_nothing(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    int flags = flags_of(ends[1]);
    become_stdout(ends[1]);
    struct output_file *file = open_stdout();
    uint8_t block[BLOCK] = {0};
    size_t written = 0;
    assert_int_equal(output_file_write(file, block, BLOCK, &written, NULL), WRITE_OK);
    assert_int_equal(written, BLOCK); /* more than it would be were the socket asked first */
    assert_int_equal(recv(ends[0], block, BLOCK, MSG_WAITALL), BLOCK);
    assert_reads(ends[0], fill(file));
    assert_int_equal(flags_of(ends[1]), flags);
    assert_int_equal(write_text(file, "line\n"), WRITE_OK);
    close(ends[0]);
    assert_int_equal(write_text(file, "line\n"), WRITE_CLOSED);
    assert_int_equal(write_text(file, "line\n"), WRITE_CLOSED);
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
    become_stdout(client);
    struct output_file *file = open_stdout();
    assert_int_equal(write_text(file, "unread\n"), WRITE_OK);
    struct linger at_once = {.l_onoff = 1};
    assert_int_equal(setsockopt(reader, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    close(reader);
    struct pollfd reset = {.fd = client};
    assert_int_equal(poll(&reset, 1, 10000), 1);
    assert_int_equal(write_text(file, "line\n"), WRITE_CLOSED);
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
    become_stdout(terminal);
    struct output_file *file = open_stdout();
    assert_true(fill(file) > 0);
    assert_int_equal(flags_of(terminal), flags);
    close(master);
    assert_int_equal(write_text(file, "line\n"), WRITE_CLOSED);
    output_file_close(file);
    close(terminal);
}

/* --- files ------------------------------------------------------------------------------------ */

static void a_file_is_shared_with_its_other_owners(void **state)
{
    (void)state;
    scratch_put_text("file", "a longer text that was there before");
    int fd = open(scratch_path("file"), O_WRONLY | O_TRUNC);
    become_stdout(fd);
    struct output_file *file = open_stdout();
    assert_true(output_file_handle(file) == NO_HANDLE);
    assert_int_equal(write_text(file, "ours\n"), WRITE_OK);
    assert_int_equal(write(fd, "theirs\n", 7), 7); /* without O_APPEND: it is the same offset */
    assert_int_equal(write_text(file, "ours\n"), WRITE_OK);
    output_file_close(file);
    assert_int_equal(write(STDOUT_FILENO, "theirs\n", 7), 7);
    close(fd);
    scratch_assert_holds_text("file", "ours\ntheirs\nours\ntheirs\n");
}

static void what_is_taken_back_leaves_no_hole(void **state)
{
    (void)state;
    int fd = open(scratch_path("file"), O_WRONLY | O_CREAT, 0600);
    become_stdout(fd);
    struct output_file *file = open_stdout();
    assert_int_equal(write_text(file, "one\ntw"), WRITE_OK);
    assert_true(output_file_take_back(file, 2));
    assert_int_equal(write_text(file, "three\n"), WRITE_OK);
    assert_int_equal(lseek(fd, 2, SEEK_SET), 2); /* another owner goes elsewhere */
    assert_false(output_file_take_back(file, 1));
    output_file_close(file);
    close(fd);
    scratch_assert_holds_text("file", "one\nthree\n");
}

/* --- none ------------------------------------------------------------------------------------- */

static void assert_refused(void)
{
    struct output_file *file = NULL;
    struct error error = {.text = ""};
    int result = output_file_open_stdout(&file, &error);
    restore_stdout(NULL);
    assert_int_equal(result, -1);
    assert_null(file);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    assert_non_null(strstr(error.text, "standard output"));
}

static void a_closed_standard_output_is_refused(void **state)
{
    (void)state;
    become_stdout(STDOUT_FILENO);
    close(STDOUT_FILENO);
    assert_refused();
}

static void a_standard_output_for_reading_is_refused(void **state)
{
    (void)state;
    int fd = open("/dev/null", O_RDONLY);
    become_stdout(fd);
    close(fd);
    assert_refused();
}

/* --- in a process of its own ------------------------------------------------------------------ */

/* Runs it in a child process, which alone then has `given` (-1: nothing); returns how it exits. */
static int run_apart(int (*run)(void), int given)
{
    fflush(stdout);
    int handed_over[2]; /* its end says that `given` is closed here */
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

/* The number that the next file to be opened gets: what started the test may have left some open.
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
    output_file_hold_standard_streams(); /* nothing is missing any more */
    return next_number() == next ? 0 : 4;
}

static void missing_streams_are_not_taken_by_other_files(void **state)
{
    (void)state;
    assert_int_equal(run_apart(open_without_streams, -1), 0);
}

static int pipe_ends[2];

/* As another user, who may write to the pipe that was inherited but not open it again. */
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
    uint8_t block[BLOCK];
    memset(block, 0, sizeof block);
    enum write_result result;
    while ((result = output_file_write(file, block, BLOCK, &written, NULL)) == WRITE_OK) {
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
    become_stdout(pipe_ends[1]);
    close(pipe_ends[1]);
    assert_int_equal(run_apart(fill_as_nobody, pipe_ends[0]), 0);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
#define with_stdout(test) cmocka_unit_test_setup_teardown(test, scratch_make, restore_stdout)
    const struct CMUnitTest tests[] = {
        with_stdout(a_full_pipe_would_block_and_loses_nothing),
        with_stdout(a_pipe_is_at_its_beginning_until_it_is_written_to),
        with_stdout(a_pipe_whose_reader_goes_is_closed),
        with_stdout(a_pipe_whose_reader_has_gone_already_is_closed),
        with_stdout(a_full_socket_would_block_and_loses_nothing),
        with_stdout(a_connection_that_is_reset_is_closed),
        with_stdout(a_stopped_terminal_would_block_and_a_hung_up_one_is_closed),
        with_stdout(a_file_is_shared_with_its_other_owners),
        with_stdout(what_is_taken_back_leaves_no_hole),
        with_stdout(a_closed_standard_output_is_refused),
        with_stdout(a_standard_output_for_reading_is_refused),
        with_stdout(missing_streams_are_not_taken_by_other_files),
        with_stdout(a_pipe_that_cannot_be_opened_again_is_asked_before_each_write),
    };
    return cmocka_run_group_tests_name("standard output", tests, NULL, NULL);
}
