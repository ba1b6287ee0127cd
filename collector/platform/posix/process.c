/* Implements process_run() with a process and two pipes, for its output and for its errors. */
#include "collector/platform/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/platform/clock.h"
#include "collector/platform/common/process_reading.h"
#include "collector/platform/posix/lending.h"
#include "collector/platform/posix/retry.h"
#include "collector/platform/posix/spawn.h"

/* Less than any system's limit, which includes the environment: Linux has 2 MiB by default. */
const size_t process_arguments_most = (size_t)1 << 20;

struct child {
    struct spawned program;
    int output, errors;
};

struct reading {
    int from;
    struct process_reading kept;
};

static void close_both(int pair[2])
{
    if (pair[0] >= 0)
        close(pair[0]);
    if (pair[1] >= 0)
        close(pair[1]);
}

static int process_start(const char *const *arguments, struct child *child)
{
    int output[2] = {-1, -1};
    int errors[2] = {-1, -1};
    int result =
        lending_pipe2(output, O_CLOEXEC) != 0 || lending_pipe2(errors, O_CLOEXEC) != 0 ? errno : 0;
    if (result == 0)
        result =
            spawn(arguments, &(struct spawn_streams){-1, output[1], errors[1]}, &child->program);
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

static void read_some(struct reading *reading)
{
    size_t size = 0;
    unsigned char *room = process_reading_room(&reading->kept, &size);
    if (room == NULL)
        return;
    ssize_t got = read(reading->from, room, size);
    if (got < 0 && errno == EINTR)
        return;
    if (got <= 0)
        reading->kept.ended = true;
    else
        process_reading_add(&reading->kept, (size_t)got);
}

/*
 * Returns false if reading takes too long, if the output is too large, or if poll() fails; then
 * *failure is its errno.
 */
static bool read_both(struct reading *output, struct reading *errors, int64_t deadline_ns,
                      int *failure)
{
    while (!output->kept.ended || !errors->kept.ended) {
        struct pollfd waiting[2] = {
            {.fd = output->kept.ended ? -1 : output->from, .events = POLLIN},
            {.fd = errors->kept.ended ? -1 : errors->from, .events = POLLIN},
        };
        int left = milliseconds_until(deadline_ns, clock_monotonic_ns());
        if (left == 0 || output->kept.too_much)
            return false;
        if (poll(waiting, 2, left) < 0) {
            if (errno != EINTR) {
                *failure = errno;
                return false;
            }
            retry_pause();
            continue;
        }
        if (waiting[0].revents != 0)
            read_some(output);
        if (waiting[1].revents != 0)
            read_some(errors);
    }
    return !output->kept.too_much;
}

/*
 * Waits for the program's end until the deadline, then kills it. Returns true if the program ended
 * by itself.
 */
static bool wait_for_end(struct spawned *program, int64_t deadline_ns, int *status)
{
    for (;;) {
        pid_t ended = spawn_wait(program, status, WNOHANG);
        if (ended > 0 || (ended < 0 && errno != EINTR))
            return true;
        if (milliseconds_until(deadline_ns, clock_monotonic_ns()) == 0)
            break;
        retry_pause(); /* its pipes are closed, so it ends soon */
    }
    unsigned times = 0;
    kill(-program->pid, SIGKILL);
    while (spawn_wait(program, status, 0) < 0 && retry_interrupted(&times))
        continue;
    spawn_forget(program);
    return false;
}

static const char *describe_end(int status, char text[64])
{
    if (status == 0)
        return NULL;
    if (WIFSIGNALED(status))
        snprintf(text, 64, "ended by signal %d", WTERMSIG(status));
    else
        snprintf(text, 64, "ended with exit code %d", WEXITSTATUS(status));
    return text;
}

enum process_result process_run(const char *const *arguments, const struct process_limits *limits,
                                struct process_output *out, struct error *error)
{
    struct child child;
    *out = (struct process_output){0};
    int result = process_start(arguments, &child);
    if (result == ENOENT)
        return PROCESS_NOT_FOUND;
    if (result != 0) {
        error_set(error, EXIT_CODE_CONFIG, "cannot be started: %s", strerror(result));
        return PROCESS_FAILED;
    }
    struct reading output = {child.output, {.most = limits->bytes}};
    struct reading errors = {child.errors, {.most = PROCESS_ERRORS_MAX}};
    int64_t deadline_ns = clock_monotonic_ns() + limits->time_ns;
    int status = -1;
    char how[64];
    int failure = 0;
    bool ended = read_both(&output, &errors, deadline_ns, &failure);
    ended = wait_for_end(&child.program, ended ? deadline_ns : 0, &status) && ended;
    close(child.output);
    close(child.errors);
    const char *why = describe_end(status, how);
    if (failure != 0) {
        snprintf(how, sizeof how, "cannot be waited for: %s", strerror(failure));
        why = how;
    }
    return process_outcome(&output.kept, &errors.kept, ended || failure != 0 ? NULL : limits, why,
                           out, error);
}
