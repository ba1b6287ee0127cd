/*
 * Starts a program with its three standard streams and without any other open descriptor of this
 * process, and waits for its end. Only for platform/. Any thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_SPAWN_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_SPAWN_H

#include <sys/types.h>

/* Descriptors that become 0, 1 and 2 of the program; the caller still owns them. */
struct spawn_streams {
    int input; /* -1: no input */
    int output;
    int errors;
};

/*
 * A program, from its start until spawn_wait reports its end. The caller of spawn() owns the
 * memory.
 */
struct spawned {
    pid_t pid;
    struct spawned *next;
};

/*
 * Starts `arguments[0]`, found by PATH, with the arguments up to a NULL, and fills `program`. The
 * program starts with no blocked signal, without the ignored signals of this process, and with the
 * limit of open files that this process was started with. It has a process group of its own, so
 * that a terminal's signals to this process do not reach it, and it can be killed with all
 * processes that it started. Returns 0 or an errno.
 */
int spawn(const char *const *arguments, const struct spawn_streams *streams,
          struct spawned *program);

/*
 * Calls waitpid(2) for the program. Unless it returns 0 or fails with EINTR, `program` can be used
 * for another spawn().
 */
pid_t spawn_wait(struct spawned *program, int *status, int options);

/* Releases `program` after spawn_wait was interrupted too often. Otherwise it does nothing. */
void spawn_forget(const struct spawned *program);

/*
 * For process 1, which becomes the parent of every process in its namespace whose parent has ended:
 * reaps the orphans that have ended, but not programs of spawn().
 */
void spawn_reap_orphans(void);

#endif
