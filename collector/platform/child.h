/*
 * Other programs: started, given input, and ended.
 *
 * A port provides programs that read a stream of input (struct child), programs that run to their end
 * (process_run), and the output file of such a program (struct process_target).
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_CHILD_H
#define SLUICE_COLLECTOR_PLATFORM_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/platform/output_file.h"
#include "collector/platform/wakeup.h"

/* --- programs that go on ---------------------------------------------------------------------- */

/*
 * Another program that goes on beside this one and reads what it is given on its standard input.
 *
 * Lifecycle: create, then any number of times start, write, the end of its input, its end as
 * child_look reports it; destroy. One thread at a time. A start keeps no memory of its own (on
 * Windows, a thread while the input is open). What the program writes to its standard output goes
 * to our standard error: ours is for data alone.
 */

struct child;

/* Returns NULL where memory is short. Destroying ends a program that runs; NULL is allowed. */
struct child *child_create(void);
void child_destroy(struct child *child);

/*
 * Starts what the system's shell makes of `command`; none must be running. Returns 0, or -1 with
 * `error` filled. (That there is no such program is something the shell finds out: it ends.)
 */
int child_start(struct child *child, const char *command, struct error *error);

/*
 * Writes a first part of `size` (≥ 1) bytes into its input, which must be open, without waiting for
 * it to read. Returns as collector/platform/output_file.h says; WRITE_CLOSED: nobody has the input
 * open (on Windows: child_look has reported its end).
 */
enum write_result child_write(struct child *child, const void *bytes, size_t size, size_t *written,
                              struct error *error);

/*
 * What to wait for after WRITE_WOULD_BLOCK, broken where nobody reads (on Windows: when it has
 * ended); NO_HANDLE: it is closed.
 */
wait_handle child_input(const struct child *child);

/*
 * Bytes that its input, which must be open, has taken and nobody has read yet. Windows reports that
 * of whole writes, which take 16 KiB at most: one is unread until its last byte is read, and until
 * then the input takes no other.
 */
size_t child_unread(const struct child *child);

/*
 * Closes its input: who reads on finds the end. Bytes that nobody had read are taken back, so that
 * nobody will, and their count is returned: exact, also while the program reads (it has read what
 * was written first, with no hole), and where a part of it has outlived it. (On Linux that needs
 * /proc; without it, it is exact where all readers have gone.) Waits for none of them.
 */
size_t child_close_input(struct child *child);

enum child_state {
    CHILD_RUNS,
    CHILD_DEAF,  /* it runs and will never read again: nobody has its input open. Not reported on
                    Windows, where the shell has it as long as it runs */
    CHILD_ENDED, /* nothing is left of it: it may be started again */
};

/* How one has ended. Windows has no signals: there one that child_terminate ended has code 1067. */
struct child_end {
    bool unknown; /* as another wait in this process has taken it; what follows is 0 */
    bool killed;  /* by a signal */
    int number;   /* of the signal; else its exit code */
};

/* What has become of it; *end where it has ended. Never waits. */
enum child_state child_look(struct child *child, struct child_end *end);

/*
 * Asks the program and all that it started (and that did not leave its group) to end, or, `now`,
 * ends them. child_look reports when that has happened. What asks is SIGTERM; on Windows it is
 * Ctrl-Break, and that only where we have a console: a program there is best asked by the end of
 * its input.
 */
void child_terminate(struct child *child, bool now);

/* --- programs that answer and end ------------------------------------------------------------- */

/*
 * Running another program to its end and reading what it wrote.
 *
 * For a program that answers and ends, such as a compiler. The caller waits meanwhile, but not for
 * ever: it says how long at most.
 */

/* What a program may take and write; one that exceeds them is ended. */
struct process_limits {
    size_t bytes;    /* of its standard output */
    int64_t time_ns; /* from its start to its end */
};

enum process_result {
    PROCESS_DONE,      /* it ended with exit code 0 */
    PROCESS_NOT_FOUND, /* there is no such program */
    PROCESS_FAILED,    /* it ended otherwise, was ended, or exceeded a limit */
};

/* What a program wrote; freed by the caller (free), also after a failure. */
struct process_output {
    unsigned char *data;
    size_t size;
};

/*
 * Runs `arguments[0]`, looked up in PATH, with the arguments up to a NULL; its standard input is
 * empty. What it writes to standard output goes to `out`. On PROCESS_FAILED
 * `error` (EXIT_CODE_CONFIG) has the first line that it wrote to standard error and that is no
 * warning, or how it ended.
 */
enum process_result process_run(const char *const *arguments, const struct process_limits *limits,
                                struct process_output *out, struct error *error);

/* --- where such a program writes -------------------------------------------------------------- */

/*
 * Where a program that we run writes what it wants a name for: its standard output, by the name
 * that the system has for that, or a file of its own where the system has none.
 *
 * Lifecycle: make, run the program with the path among its arguments
 * (collector/platform/child.h), read the file where it is one, remove.
 */

struct process_target {
    char *path;   /* what the program is given */
    bool is_file; /* to be read when it has ended; else what is written there is its output */
};

/* Returns false with `error` filled (EXIT_CODE_INTERNAL, EXIT_CODE_CANNOT_CREATE). */
bool process_target_make(struct process_target *target, struct error *error);

/* The file, too. */
void process_target_remove(struct process_target *target);

#endif
