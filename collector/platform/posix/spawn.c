#include "collector/platform/posix/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/platform/posix/lending.h"

extern char **environ;

static int set_streams(posix_spawn_file_actions_t *actions, const struct spawn_streams *streams)
{
    int result = streams->input < 0
                     ? posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0)
                     : posix_spawn_file_actions_adddup2(actions, streams->input, 0);
    if (result == 0)
        result = posix_spawn_file_actions_adddup2(actions, streams->output, 1);
    if (result == 0)
        result = posix_spawn_file_actions_adddup2(actions, streams->errors, 2);
    return result;
}

static void set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigset_t ignored;
    sigemptyset(&none);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &ignored);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                             POSIX_SPAWN_SETPGROUP);
}

/*
 * All running programs. spawn() holds the lock until the new program is in the list, so that
 * spawn_reap_orphans does not reap it.
 */
static pthread_mutex_t programs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct spawned *programs;

int spawn(const char *const *arguments, const struct spawn_streams *streams,
          struct spawned *program)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    /*
     * The starter of this process may have ignored SIGCHLD; then the end of a child process would
     * not be reported.
     */
    signal(SIGCHLD, SIG_DFL);
    if (posix_spawn_file_actions_init(&actions) != 0)
        return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    set_signals(&attributes);
    int result = set_streams(&actions, streams);
    if (result == 0) {
        pthread_mutex_lock(&programs_lock);
        lending_stop_for_program();
        result = posix_spawnp(&program->pid, arguments[0], &actions, &attributes,
                              (char *const *)(uintptr_t)arguments, environ);
        lending_go_on(result == 0 ? program->pid : 0);
        if (result == 0) {
            program->next = programs;
            programs = program;
        }
        pthread_mutex_unlock(&programs_lock);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

void spawn_forget(const struct spawned *program)
{
    pthread_mutex_lock(&programs_lock);
    for (struct spawned **entry = &programs; *entry != NULL; entry = &(*entry)->next)
        if (*entry == program) {
            *entry = program->next;
            break;
        }
    pthread_mutex_unlock(&programs_lock);
}

pid_t spawn_wait(struct spawned *program, int *status, int options)
{
    pid_t ended = waitpid(program->pid, status, options);
    int failure = errno;
    if (ended != 0 && (ended > 0 || failure != EINTR)) {
        spawn_forget(program);
        if (getpid() == 1)
            spawn_reap_orphans(); /* this program may have hidden orphans that ended after it */
    }
    errno = failure;
    return ended;
}

static bool is_program(pid_t pid)
{
    for (const struct spawned *program = programs; program != NULL; program = program->next)
        if (program->pid == pid)
            return true;
    return false;
}

void spawn_reap_orphans(void)
{
    siginfo_t ended = {0};
    pthread_mutex_lock(&programs_lock);
    while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0 &&
           !is_program(ended.si_pid) && waitpid(ended.si_pid, NULL, WNOHANG) > 0)
        ended.si_pid = 0;
    pthread_mutex_unlock(&programs_lock);
}
