#include "tests/support/store_files.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/part_file.h"
#include "tests/support/scratch_directory.h"

struct path_template *store_template(const char *path)
{
    struct path_template *made;
    size_t wrong_at;
    const char *why;
    if (!path_template_parse(scratch_path(path), &made, &wrong_at, &why))
        fail_msg("%s: %s", path, why);
    return made;
}

void store_set_time(const char *name, int64_t seconds)
{
    const struct timespec times[2] = {{.tv_sec = (time_t)seconds}, {.tv_sec = (time_t)seconds}};
    assert_int_equal(utimensat(AT_FDCWD, scratch_path(name), times, 0), 0);
}

const char *store_finish(struct finished_files *files, const char *path, const char *text)
{
    static char name[FILE_NAME_SIZE];
    char whole[PATH_TEMPLATE_SIZE];
    char part_name[FILE_NAME_SIZE];
    struct part_file *part;
    struct error error;
    snprintf(whole, sizeof whole, "%s", scratch_path(path));
    snprintf(part_name, sizeof part_name, "%s" PART_SUFFIX, whole);
    if (part_file_open_new(part_name, strlen(scratch_path("")), &part, &error) != PART_DONE ||
        !part_file_append(part, text, strlen(text), &error) ||
        finished_files_add(files, part, whole, name, &error) != PART_DONE)
        fail_msg("%s: %s", path, error.text);
    return name + strlen(scratch_path(""));
}

struct store_holder store_hold(const char *path)
{
    int pipes[2];
    char sign;
    assert_int_equal(pipe(pipes), 0);
    int process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        struct part_file *file;
        struct error error;
        if (part_file_open_new(path, strlen(scratch_path("")), &file, &error) != PART_DONE ||
            write(pipes[1], "+", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &sign, 1), 1);
    close(pipes[0]);
    return (struct store_holder){process};
}

void store_kill(const struct store_holder *holder)
{
    assert_int_equal(kill(holder->process, SIGKILL), 0);
    assert_int_equal(waitpid(holder->process, NULL, 0), holder->process);
}
