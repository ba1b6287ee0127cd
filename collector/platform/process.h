/*
 * This process: how it begins, its environment, standard streams, user and limits.
 *
 * A port provides each function. A system that cannot change its user refuses in user_check, one
 * without a limit of descriptors lends none, and process_usage_read may return false.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_PROCESS_H
#define SLUICE_COLLECTOR_PLATFORM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* --- where a program begins ------------------------------------------------------------------- */

/*
 * Where a program begins. Each program provides program_main and links sluice_entry, which has what
 * the operating system calls first; CMake picks it under platform/.
 */

/*
 * Called once, on the main thread, with what C's main is called with: `argc` texts and a NULL, the
 * program's own name first; they live until it returns. On Windows the texts are UTF-8 (what is no
 * Unicode in them has become U+FFFD), elsewhere the bytes that were given. Standard input, output
 * and error pass bytes as they are. What it returns is the program's exit code.
 */
int program_main(int argc, char **argv);

/* --- the environment -------------------------------------------------------------------------- */

/* The variables that the program was started with. Any thread, while nobody changes them. */

/*
 * Tells the value of a variable in *value, which the caller frees; NULL: it is not set. Returns
 * false without memory.
 */
bool environment_value(const char *name, char **value);

/*
 * Calls `visit` with the name of each variable that begins with `prefix`, until it returns false.
 * Where the system ignores case in names, a name is given in upper case. Returns false without
 * memory.
 */
bool environment_each(const char *prefix, bool (*visit)(void *context, const char *name),
                      void *context);

/* --- standard error --------------------------------------------------------------------------- */

/*
 * Where the log's lines and the ledger go: the standard error stream, which may be a pipe that
 * nobody reads.
 */

/*
 * Writes `size` bytes of whole lines, for at most `wait_ms` milliseconds where the stream is full.
 * Returns whether all were written; of up to 4096 bytes either all are or none. Any thread; up to
 * that size what several threads write does not mix.
 *
 * Where a system cannot say whether a stream is full, so many may be on their way by then: they
 * count as written and come when the reader reads, or are lost where the program ends before.
 */
bool log_stream_write(const char *lines, size_t size, int wait_ms);

/*
 * Whether the stream is the system's journal, which takes a line's level from the "<N>" that it
 * begins with (sd-daemon(3)). Never where the system has none. Any thread.
 */
bool log_stream_is_journal(void);

/* --- terminals -------------------------------------------------------------------------------- */

/*
 * The terminals that standard error and standard output lead to, if they do.
 */

/*
 * How many columns standard error's has now; 80 where it does not say. 0: there is no terminal, or
 * none that takes control sequences (ECMA-48): a console of old, or one whose TERM is "dumb" or
 * empty. Any thread.
 */
size_t terminal_columns(void);

/* Whether standard error leads to one that takes colours, and the user has not asked for none:
 * NO_COLOR in the environment, with any text. While the environment does not change. */
bool terminal_has_colour(void);

enum terminal_kind {
    TERMINAL_NONE,  /* there is none */
    TERMINAL_PLAIN, /* one that takes no colours, or for a user who has asked for none, as above */
    TERMINAL_COLOUR,
};

/* What standard output leads to. While the environment does not change. */
enum terminal_kind terminal_of_output(void);

/* --- the user --------------------------------------------------------------------------------- */

/*
 * As whom the process runs: it is started as root, so that it can have what only root may have, and
 * gives that up for another user.
 *
 * A user is named "NAME" or "NAME:GROUP", by names that the system knows. Main thread, while there
 * is no other one.
 */

/*
 * Whether this process could become that user: it runs as root, or is that user already. Returns 0,
 * or -1 with `error` filled (EXIT_CODE_CONFIG): also where there is no such user or group, where
 * the user is root, and where processes of this system cannot change who they are.
 */
int user_check(const char *user, struct error *error);

/*
 * Answers `question` as that user: in another process, which has become the user and ends after the
 * answer. This process stays as it is. `question` returns 0, or -1 with its error filled; so does
 * this, also where the user cannot be had (EXIT_CODE_CONFIG) or no process can be started
 * (EXIT_CODE_INTERNAL). What `question` changes in memory is lost.
 */
int user_ask(const char *user, int (*question)(const void *context, struct error *error),
             const void *context, struct error *error);

/*
 * Root's rights are going to be given up for a user, who may own folders in which root opens files
 * until then: no link of the user's leads root to a file that only root may have. Until user_become.
 */
void user_expect(void);

/*
 * Becomes that user, for good: with the user's groups (of which GROUP is the first where it is
 * named, else the user's own one), without any capability, and so that none of it can be had again.
 * What is open stays open. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG); the process may
 * then have given up a part of it, and is to end.
 */
int user_become(const char *user, struct error *error);

/*
 * Gives a file to that user and group, by a descriptor of it, which may be one that was opened for
 * its name only. Before user_become. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG).
 */
int user_give(const char *user, int file, struct error *error);

/* --- descriptors ------------------------------------------------------------------------------ */

/*
 * Descriptors that are kept back, so that a library or a crowd of connections cannot use up all that
 * the process may have: librdkafka takes several for each broker that a broker names. What is kept
 * is only lent to a call that found none, and only to the uses of this program that are named here.
 *
 * Nothing is held open for it. The limit that the system enforces (RLIMIT_NOFILE, soft) is lower
 * than what the process may have. While such a call is made again it is raised, by as many as the
 * call needs: a library that opens something in just that moment may get those in its place.
 *
 * A system without such a limit keeps nothing.
 */

#define DESCRIPTORS_UNLIMITED UINT64_MAX

/* Each may also use what is kept for those before it. */
enum descriptor_use {
    DESCRIPTOR_OF_SENDER, /* a connection that records come in by */
    DESCRIPTOR_OF_OWN,    /* a file, and whatever else the program opens itself */
    DESCRIPTOR_OF_CLIENT, /* a connection of the operator's: --metrics, --control */
};
#define DESCRIPTOR_USES 3

/* How many the process may have at most: the limit that it cannot raise. Any thread. */
uint64_t descriptors_most(void);

/*
 * Raises the limit of the process to the highest that it may have, and keeps back `wanted` of it
 * for each use, at most half of all (a quarter for senders). Called again after a reload. Has no
 * effect where the limit cannot be changed, or where somebody else has changed it meanwhile.
 * Programs that this one starts get the limit that it was started with; where that is higher than
 * ours now, they get it just after their start. Main thread.
 */
void descriptors_keep(const uint64_t wanted[DESCRIPTOR_USES]);

/*
 * Asked after a system call that found no descriptor. Returns whether to make it again; the limit
 * is then raised by `wanted` until descriptors_take_back, which must follow. Another thread may get
 * what is lent, so a call is tried a few times: `times` counts them and begins at 0. Both functions
 * leave errno as it is. Any thread.
 */
bool descriptors_lend(enum descriptor_use use, unsigned wanted, unsigned *times);
void descriptors_take_back(enum descriptor_use use, unsigned wanted);

/* --- usage ------------------------------------------------------------------------------------ */

/*
 * What this process takes of the system, as the system reports it. Main thread.
 */

#define USAGE_UNLIMITED UINT64_MAX

struct process_usage {
    double processor_seconds; /* of all its threads, for itself and within the kernel */
    double started_seconds;   /* since 1970 UTC */
    uint64_t resident_bytes;
    uint64_t virtual_bytes, virtual_bytes_most; /* the most may be USAGE_UNLIMITED */
    uint64_t open_files, open_files_most;       /* descriptors of any kind; the same */
};

/* Returns false where the system does not say. */
bool process_usage_read(struct process_usage *usage);

#endif
