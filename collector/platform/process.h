/*
 * This process: its entry point, environment, standard streams, user and limits.
 *
 * A port provides each function. On a system that cannot change the user of a process, user_check
 * fails. On one without a limit of descriptors, none are lent. process_usage_read may return false.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_PROCESS_H
#define SLUICE_COLLECTOR_PLATFORM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* --- the entry of a program ------------------------------------------------------------------- */

/*
 * Each program defines program_main and links sluice_entry, which defines the function that the
 * operating system calls first.
 */

/*
 * Called once on the main thread, with the arguments of C's main: `argc` texts and a NULL, the
 * program's own name first. They live until it returns. On Windows they are UTF-8, with U+FFFD in
 * place of invalid Unicode; elsewhere they are the bytes that were given. Standard input, output
 * and error pass bytes unchanged. Returns the program's exit code.
 */
int program_main(int argc, char **argv);

/* --- the environment -------------------------------------------------------------------------- */

/* The environment variables. Any thread, as long as no thread changes them. */

/*
 * Sets *value to a copy of the variable's value, which the caller frees, or to NULL if it is not
 * set. Returns false if memory is short.
 */
bool environment_value(const char *name, char **value);

/*
 * Calls `visit` with the name of each variable that begins with `prefix`, until `visit` returns
 * false. If the system ignores case in names, the names are in upper case. Returns false if memory
 * is short.
 */
bool environment_each(const char *prefix, bool (*visit)(void *context, const char *name),
                      void *context);

/* --- standard error --------------------------------------------------------------------------- */

/*
 * Standard error, to which the log and the ledger are written. It may be a pipe that is not read.
 */

/*
 * Writes `size` bytes of whole lines, for at most `wait_ms` milliseconds while the stream is full.
 * Returns true if all bytes were written. Up to 4096 bytes are written all or not at all, and the
 * lines of several threads do not mix. Any thread.
 *
 * If a system cannot say whether a stream is full, up to 4096 bytes may be in transit when this
 * returns: they count as written. They arrive when the reader reads, or are lost if the program
 * ends first.
 */
bool log_stream_write(const char *lines, size_t size, int wait_ms);

/*
 * Returns true if the stream is systemd's journal, which reads a line's level from the "<N>" at its
 * beginning (sd-daemon(3)). False on systems without it. Any thread.
 */
bool log_stream_is_journal(void);

/* --- terminals -------------------------------------------------------------------------------- */

/* The terminals that standard error and standard output are connected to. */

/*
 * Returns the present number of columns of standard error's terminal; 80 if the terminal does not
 * report it. Returns 0 if standard error is not a terminal, or is one without control sequences
 * (ECMA-48): an old console, or a terminal whose TERM is "dumb" or empty. Any thread.
 */
size_t terminal_columns(void);

/*
 * Returns true if standard error is a terminal with colours, and the user has not turned them off
 * (NO_COLOR in the environment, with any text). The environment must not change during the call.
 */
bool terminal_has_colour(void);

enum terminal_kind {
    TERMINAL_NONE,  /* not a terminal */
    TERMINAL_PLAIN, /* a terminal without colours, or with NO_COLOR */
    TERMINAL_COLOUR,
};

/*
 * Returns the kind of terminal that standard output is. The environment must not change during the
 * call.
 */
enum terminal_kind terminal_of_output(void);

/* --- the user --------------------------------------------------------------------------------- */

/*
 * The user that the process runs as. The process is started as root to get what only root may have,
 * and then becomes another user.
 *
 * A user is named "NAME" or "NAME:GROUP", by names that the system knows. Main thread, while there
 * is no other thread.
 */

/*
 * Checks whether this process could become that user: it runs as root or is that user already.
 * Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG): also if the user or group does not
 * exist, if the user is root, or if this system's processes cannot change their user.
 */
int user_check(const char *user, struct error *error);

/*
 * Calls `question` in another process, which becomes that user, answers and ends. This process
 * stays as it is; changes of memory by `question` are lost. `question` returns 0, or -1 with its
 * error filled; user_ask returns the same. It also fails if the process cannot become the user
 * (EXIT_CODE_CONFIG) or cannot be started (EXIT_CODE_INTERNAL).
 */
int user_ask(const char *user, int (*question)(const void *context, struct error *error),
             const void *context, struct error *error);

/*
 * Announces that root's rights will be given up for a user. That user may own folders in which root
 * still opens files: from now until user_become, files are opened so that a symbolic link of that
 * user does not lead root to a file that only root may open.
 */
void user_expect(void);

/*
 * Becomes that user irrevocably: with the user's groups (GROUP first if it is named, else the
 * user's own one) and without any capability. Open files stay open. Returns 0, or -1 with `error`
 * filled (EXIT_CODE_CONFIG); the process may then have given up part of its rights, and must end.
 */
int user_become(const char *user, struct error *error);

/*
 * Changes the owner and the group of a file to those of `user`. The descriptor `file` may have been
 * opened with O_PATH. Called before user_become. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CONFIG).
 */
int user_give(const char *user, int file, struct error *error);

/* --- descriptors ------------------------------------------------------------------------------ */

/*
 * A reserve of descriptors, so that a library or many connections cannot use up all descriptors of
 * the process. For example, librdkafka opens several for each broker of a cluster. The reserve is
 * lent only to a call that found no descriptor, and only for the uses named here.
 *
 * The reserve holds no descriptor open. Instead the limit that the system enforces (soft
 * RLIMIT_NOFILE) is lower than the highest possible limit. It is raised by the number that a call
 * needs while that call is repeated; a library that opens something at that moment may get the
 * descriptor instead.
 *
 * A system without such a limit has no reserve.
 */

#define DESCRIPTORS_UNLIMITED UINT64_MAX

/* Each use may also take from the reserve of the uses listed before it. */
enum descriptor_use {
    DESCRIPTOR_OF_SENDER, /* a connection that delivers records */
    DESCRIPTOR_OF_OWN,    /* a file, or anything else that the program opens itself */
    DESCRIPTOR_OF_CLIENT, /* a connection of the operator: --metrics, --control */
};
#define DESCRIPTOR_USES 3

/*
 * Returns the most descriptors that the process may have: the limit that it cannot raise. Any
 * thread.
 */
uint64_t descriptors_most(void);

/*
 * Raises the limit to the highest that the process may have, less the reserve: `wanted` descriptors
 * for each use, but together at most half of the limit (a quarter for senders). Called again after
 * a reload. Has no effect if the limit cannot be changed, or was changed from outside since the
 * last call. A program that this one starts gets the limit that this one was started with; if that
 * is higher than the present limit, the program gets it just after its start. Main thread.
 */
void descriptors_keep(const uint64_t wanted[DESCRIPTOR_USES]);

/*
 * descriptors_lend is called after a system call that found no descriptor. It returns true if that
 * call should be repeated; the limit is then raised by `wanted` until descriptors_take_back, which
 * must follow. Another thread may take the lent descriptor, so a call is repeated a few times:
 * `times` counts them and begins at 0. Both functions preserve errno. Any thread.
 */
bool descriptors_lend(enum descriptor_use use, unsigned wanted, unsigned *times);
void descriptors_take_back(enum descriptor_use use, unsigned wanted);

/* --- secrets ---------------------------------------------------------------------------------- */

/*
 * Prevents other processes of the same user from reading this one: its memory and environment, and
 * its descriptors by /proc. Only root, or a debugger that has started the process, still can. The
 * system writes no core dump of this process any more. The call cannot be undone; programs that
 * this process starts are not affected. Returns false if the system cannot do it, as on Windows,
 * where the owner of a process may read it. Any thread.
 */
bool process_shield(void);

/* --- usage ------------------------------------------------------------------------------------ */

/* The resources that this process uses, as the system reports them. Main thread. */

#define USAGE_UNLIMITED UINT64_MAX

struct process_usage {
    double processor_seconds; /* of all threads, in user mode and in the kernel */
    double started_seconds;   /* since 1970 UTC */
    uint64_t resident_bytes;
    uint64_t virtual_bytes, virtual_bytes_most; /* the _most value may be USAGE_UNLIMITED */
    uint64_t open_files, open_files_most;       /* descriptors of any kind; also USAGE_UNLIMITED */
};

/* Returns false if the system does not report it. */
bool process_usage_read(struct process_usage *usage);

#endif
