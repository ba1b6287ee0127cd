#include "tests/support/platform/again.h"

#include "tests/support/test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t process_of(const struct again *again)
{
    return (pid_t)(intptr_t)again->process;
}

struct again again_start(const char *argument)
{
    struct test_pipe pipe = test_pipe_open();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2((int)pipe.writer, STDOUT_FILENO);
        close((int)pipe.reader);
        close((int)pipe.writer);
        execl("/proc/self/exe", "again", argument, (char *)NULL);
        _exit(127);
    }
    test_stream_close(&pipe.writer);
    return (struct again){.output = pipe.reader, .process = (void *)(intptr_t)child};
}

void again_kill(struct again *again)
{
    assert_int_equal(kill(process_of(again), SIGKILL), 0);
}

int again_end(struct again *again)
{
    int status;
    assert_int_equal(waitpid(process_of(again), &status, 0), process_of(again));
    test_stream_close(&again->output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
