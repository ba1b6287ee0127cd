/* Implements struct child with a pipe and a process of the shell. */
#include "collector/platform/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/base/rule.h"
#include "collector/platform/posix/lending.h"
#include "collector/platform/posix/retry.h"
#include "collector/platform/posix/spawn.h"

struct child {
    struct spawned program; /* its pid is 0 if no program runs */
    int input;              /* our end of the pipe, or -1 if closed */
};

struct child *child_create(void)
{
    struct child *child = malloc(sizeof *child);
    if (child != NULL)
        *child = (struct child){.input = -1};
    return child;
}

void child_destroy(struct child *child)
{
    if (child == NULL)
        return;
    if (child->input >= 0)
        close(child->input);
    if (child->program.pid != 0) {
        unsigned times = 0;
        kill(-child->program.pid, SIGKILL);
        while (spawn_wait(&child->program, NULL, 0) < 0 && retry_interrupted(&times))
            continue;
        spawn_forget(&child->program);
    }
    free(child);
}

int child_start(struct child *child, const char *command, struct error *error)
{
    RULE(child->program.pid == 0, "a program is started when none runs");
    const char *const arguments[] = {"/bin/sh", "-c", command, NULL};
    int ends[2];
    int result = lending_pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    if (result == 0) {
        /* Only our end is non-blocking: the file descriptions of both ends are separate. */
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        struct spawn_streams streams = {ends[0], STDERR_FILENO, STDERR_FILENO};
        result = spawn(arguments, &streams, &child->program);
        close(ends[0]);
        if (result != 0)
            close(ends[1]);
    }
    if (result != 0) {
        child->program.pid = 0;
        error_set(error, EXIT_CODE_IO, "cannot start a shell: %s", strerror(result));
        return -1;
    }
    child->input = ends[1];
    return 0;
}

/* --- the program's input ---------------------------------------------------------------------- */

enum write_result child_write(struct child *child, const void *bytes, size_t size, size_t *written,
                              struct error *error)
{
    RULE(child->input >= 0, "a program is written to while its input is open");
    ssize_t result;
    unsigned times = 0;
    do
        result = write(child->input, bytes, size);
    while (result < 0 && retry_interrupted(&times));
    if (result > 0) {
        *written = (size_t)result;
        return WRITE_OK;
    }
    if (result < 0 && errno == EAGAIN)
        return WRITE_WOULD_BLOCK;
    if (result < 0 && errno == EPIPE)
        return WRITE_CLOSED;
    error_set(error, EXIT_CODE_IO, "cannot write: %s",
              result < 0 ? strerror(errno) : "the system accepted no byte");
    return WRITE_FAILED;
}

wait_handle child_input(const struct child *child)
{
    return child->input < 0 ? NO_HANDLE : (wait_handle)child->input;
}

/* A pipe keeps its contents, and reports their size, while our end is open. */
size_t child_unread(const struct child *child)
{
    RULE(child->input >= 0, "a program's input is asked while it is open");
    int unread = 0;
    return ioctl(child->input, FIONREAD, &unread) == 0 && unread > 0 ? (size_t)unread : 0;
}

static bool is_read(const struct child *child)
{
    struct pollfd asked = {.fd = child->input};
    return poll(&asked, 1, 0) <= 0 || (asked.revents & POLLERR) == 0;
}

/*
 * Reads what is left in the pipe. Returns the number of bytes, or -1 if the pipe cannot be opened
 * for reading.
 *
 * Reads it with one readv(), so that the program cannot read in between and miss a part. The pieces
 * have room for 4 MiB, more than a pipe holds unless it was enlarged beyond the system's default
 * limit.
 */
static ssize_t read_back(const struct child *child)
{
    char path[32];
    enum { PIECE = 16384, PIECES = 256 };
    char bytes[PIECE];
    struct iovec pieces[PIECES];
    snprintf(path, sizeof path, "/proc/self/fd/%d", child->input);
    int fd = lending_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    for (size_t i = 0; i < PIECES; i++)
        pieces[i] = (struct iovec){bytes, sizeof bytes};
    ssize_t sum = 0;
    ssize_t got;
    unsigned times = 0;
    do {
        got = readv(fd, pieces, PIECES);
        sum += got > 0 ? got : 0;
    } while (got == PIECE * PIECES || (got < 0 && retry_interrupted(&times)));
    close(fd);
    return sum;
}

size_t child_close_input(struct child *child)
{
    RULE(child->input >= 0, "a program's input is closed once");
    ssize_t unread = is_read(child) ? read_back(child) : -1;
    size_t taken_back = unread < 0 ? child_unread(child) : (size_t)unread;
    close(child->input);
    child->input = -1;
    return taken_back;
}

/* --- the program's end ------------------------------------------------------------------------ */

enum child_state child_look(struct child *child, struct child_end *end)
{
    RULE(child->program.pid != 0, "a program is looked at until it has ended");
    int status = 0;
    pid_t ended;
    unsigned times = 0;
    do
        ended = spawn_wait(&child->program, &status, WNOHANG);
    while (ended < 0 && retry_interrupted(&times));
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return child->input < 0 || is_read(child) ? CHILD_RUNS : CHILD_NOT_READING;
    if (ended < 0)
        *end = (struct child_end){.unknown = true};
    else if (WIFSIGNALED(status))
        *end = (struct child_end){.killed = true, .number = WTERMSIG(status)};
    else
        *end = (struct child_end){.number = WEXITSTATUS(status)};
    child->program.pid = 0;
    return CHILD_ENDED;
}

void child_terminate(struct child *child, bool now)
{
    if (child->program.pid != 0)
        kill(-child->program.pid, now ? SIGKILL : SIGTERM);
}
