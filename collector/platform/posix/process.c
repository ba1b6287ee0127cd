/* A child process with its output and its errors on a pipe each. */
#include "collector/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/deadline.h"
#include "collector/platform/posix/spawn.h"
#include "collector/thread.h"

#define ERRORS_MAX ((size_t)64 * 1024)

struct child {
    pid_t pid;
    int output, errors; /* our ends of the pipes */
};

/* One pipe being read to its end; what is past the limit is thrown away. */
struct reading {
    int from;
    struct process_output bytes;
    size_t capacity, most;
    bool too_much, ended, no_memory;
};

static void close_both(int pair[2])
{
    if (pair[0] >= 0)
        close(pair[0]);
    if (pair[1] >= 0)
        close(pair[1]);
}

/* Returns 0 or an errno. */
static int start(const char *const *arguments, struct child *child)
{
    int output[2] = {-1, -1};
    int errors[2] = {-1, -1};
    int result = pipe2(output, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0 ? errno : 0;
    if (result == 0)
        result = spawn(arguments, &(struct spawn_streams){-1, output[1], errors[1]}, &child->pid);
    if (result != 0) {
        close_both(output);
        close_both(errors);
        return result;
    }
    close(output[1]);
    close(errors[1]);
    child->output = output[0];
    child->errors = errors[0];
    return 0;
}

/* Room for what comes next; a buffer that has grown to its limit is reused for what is dropped. */
static bool make_room(struct reading *reading)
{
    if (reading->bytes.size < reading->capacity)
        return true;
    size_t wanted = reading->capacity == 0 ? 16384 : reading->capacity * 2;
    unsigned char *grown = realloc(reading->bytes.data, wanted);
    if (grown == NULL) {
        reading->no_memory = true;
        return false;
    }
    reading->bytes.data = grown;
    reading->capacity = wanted;
    return true;
}

static void read_some(struct reading *reading)
{
    if (!make_room(reading)) {
        reading->ended = true;
        return;
    }
    ssize_t got = read(reading->from, reading->bytes.data + reading->bytes.size,
                       reading->capacity - reading->bytes.size);
    if (got < 0 && errno == EINTR)
        return;
    if (got <= 0) {
        reading->ended = true;
        return;
    }
    reading->bytes.size += (size_t)got;
    if (reading->bytes.size > reading->most) {
        reading->too_much = true;
        reading->bytes.size = reading->most;
    }
}

/* Returns false where that takes too long, or gives too much. */
static bool read_both(struct reading *output, struct reading *errors, int64_t deadline_ns)
{
    while (!output->ended || !errors->ended) {
        struct pollfd waiting[2] = {
            {.fd = output->ended ? -1 : output->from, .events = POLLIN},
            {.fd = errors->ended ? -1 : errors->from, .events = POLLIN},
        };
        int left = milliseconds_until(deadline_ns, clock_monotonic_ns());
        if (left == 0 || output->too_much)
            return false;
        if (poll(waiting, 2, left) < 0)
            continue;
        if (waiting[0].revents != 0)
            read_some(output);
        if (waiting[1].revents != 0)
            read_some(errors);
    }
    return !output->too_much;
}

/* Waits for its end until the deadline, then makes one. Returns whether it ended by itself. */
static bool wait_for_end(pid_t pid, int64_t deadline_ns, int *status)
{
    for (;;) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR))
            return true;
        if (milliseconds_until(deadline_ns, clock_monotonic_ns()) == 0)
            break;
        poll(NULL, 0, 1); /* its pipes are closed: it is about to end */
    }
    kill(-pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        continue;
    return false;
}

static bool is_warning(const char *line, size_t length)
{
    static const char *const words[] = {"WARNING", "warning:"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (size_t at = 0; at + strlen(words[i]) <= length; at++)
            if (memcmp(line + at, words[i], strlen(words[i])) == 0)
                return true;
    return false;
}

/* The first line of what it wrote that is no warning; 0 bytes where there is none. */
static size_t first_line(const struct reading *errors, const char **line)
{
    const char *at = (const char *)errors->bytes.data;
    const char *end = at + errors->bytes.size;
    while (at != end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline != NULL ? newline : end) - at);
        *line = at;
        if (length != 0 && !is_warning(at, length))
            return length;
        at += length + (newline != NULL);
    }
    return 0;
}

/* That line, or how it ended. */
static void explain(struct error *error, const struct reading *errors, int status)
{
    const char *line = NULL;
    size_t length = first_line(errors, &line);
    if (length != 0)
        error_set(error, EXIT_CODE_CONFIG, "%.*s", (int)length, line);
    else if (WIFSIGNALED(status))
        error_set(error, EXIT_CODE_CONFIG, "ended by signal %d", WTERMSIG(status));
    else
        error_set(error, EXIT_CODE_CONFIG, "ended with exit code %d", WEXITSTATUS(status));
}

enum process_result process_run(const char *const *arguments, size_t most,
                                struct process_output *out, struct error *error)
{
    struct child child;
    *out = (struct process_output){0};
    int result = start(arguments, &child);
    if (result == ENOENT)
        return PROCESS_NOT_FOUND;
    if (result != 0) {
        error_set(error, EXIT_CODE_CONFIG, "cannot be started: %s", strerror(result));
        return PROCESS_FAILED;
    }
    struct reading output = {.from = child.output, .most = most};
    struct reading errors = {.from = child.errors, .most = ERRORS_MAX};
    int64_t deadline_ns = clock_monotonic_ns() + INT64_C(1000000) * PROCESS_PATIENCE_MS;
    int status = -1;
    bool ended = read_both(&output, &errors, deadline_ns);
    ended = wait_for_end(child.pid, ended ? deadline_ns : 0, &status) && ended;
    close(child.output);
    close(child.errors);
    *out = output.bytes;
    bool good = ended && status == 0 && !output.no_memory;
    if (output.no_memory)
        error_set(error, EXIT_CODE_INTERNAL, "no memory for what it writes");
    else if (output.too_much)
        error_set(error, EXIT_CODE_CONFIG, "writes more than %zu bytes", most);
    else if (!ended)
        error_set(error, EXIT_CODE_CONFIG, "has not ended after %d s", PROCESS_PATIENCE_MS / 1000);
    else if (!good)
        explain(error, &errors, status);
    free(errors.bytes.data);
    return good ? PROCESS_DONE : PROCESS_FAILED;
}
