#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/platform/scratch_directory.h"
#include "tests/support/sinks/file_set_files.h"
#include "tests/support/test.h"

struct file_holder {
    pid_t process;
};

struct file_holder *file_set_hold(const char *path)
{
    int pipes[2];
    char sign;
    struct file_holder *holder = malloc(sizeof *holder);
    assert_non_null(holder);
    assert_int_equal(pipe(pipes), 0);
    holder->process = fork();
    assert_true(holder->process >= 0);
    if (holder->process == 0) {
        struct part_file *file;
        struct error error;
        if (part_file_open_new(path, strlen(scratch_path("")), 0, &file, &error) != PART_DONE ||
            write(pipes[1], "+", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &sign, 1), 1);
    close(pipes[0]);
    return holder;
}

void file_set_kill(struct file_holder *holder)
{
    assert_int_equal(kill(holder->process, SIGKILL), 0);
    assert_int_equal(waitpid(holder->process, NULL, 0), holder->process);
    free(holder);
}
