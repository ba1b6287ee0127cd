#include "collector/platform/posix/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>

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

int spawn(const char *const *arguments, const struct spawn_streams *streams, pid_t *pid)
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
        lending_stop_for_program();
        result = posix_spawnp(pid, arguments[0], &actions, &attributes,
                              (char *const *)(uintptr_t)arguments, environ);
        lending_go_on(result == 0 ? *pid : 0);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}
