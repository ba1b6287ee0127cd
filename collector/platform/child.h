/*
 * Runs other programs: starts them, writes their input, and ends them.
 *
 * A port provides programs that read a stream of input (struct child), programs that run to their
 * end (process_run), and the output file of such a program (struct process_target).
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
 * A program that runs concurrently and reads records from its standard input.
 *
 * Lifecycle: create; start, write, close its input, and see its end by child_look, any number of
 * times; destroy. One thread at a time. A start leaves no memory allocated (on Windows, a thread
 * exists while the input is open). The program's standard output goes to the standard error of this
 * process, whose standard output carries only data.
 */

struct child;

/*
 * Returns NULL if memory is short. child_destroy kills a program that still runs; NULL is allowed.
 */
struct child *child_create(void);
void child_destroy(struct child *child);

/*
 * Starts the system's shell with `command`; no program of this child may be running. Returns 0, or
 * -1 with `error` filled. A command that does not exist is not an error here: the shell reports it
 * and ends.
 */
int child_start(struct child *child, const char *command, struct error *error);

/*
 * Writes the first *written of `size` (≥ 1) bytes to the program's input, which must be open,
 * without waiting for the program to read. See enum write_result. WRITE_CLOSED: no process has the
 * input open for reading (on Windows: child_look has reported the end).
 */
enum write_result child_write(struct child *child, const void *bytes, size_t size, size_t *written,
                              struct error *error);

/*
 * Returns the handle to wait for after WRITE_WOULD_BLOCK, or NO_HANDLE if the input is closed. The
 * wait reports a broken handle when no process reads the input (on Windows: when the program has
 * ended).
 */
wait_handle child_input(const struct child *child);

/*
 * Returns the number of bytes that were written to the input, which must be open, and that the
 * program has not read yet. Windows counts whole writes of at most 16 KiB: a write is unread until
 * its last byte is read, and the input accepts no other write until then.
 */
size_t child_unread(const struct child *child);

/*
 * Closes the program's input: the program reads the end of file next. Takes back the bytes that the
 * program has not read yet, and returns their number. The number is exact even if the program reads
 * during the call, or if a child process of the program outlives it. (On Linux this needs /proc;
 * without /proc the number is exact if all readers have ended.) Does not wait.
 */
size_t child_close_input(struct child *child);

enum child_state {
    CHILD_RUNS,
    CHILD_NOT_READING, /* the program runs, but no process has its input open, so it will not read
                          again. Not reported on Windows, where the shell keeps the input open as
                          long as it runs */
    CHILD_ENDED,       /* the program has ended and may be started again */
};

/*
 * How a program ended. Windows has no signals: there a program that child_terminate has killed has
 * exit code 1067.
 */
struct child_end {
    bool unknown; /* the system did not say how, or another wait in this process took the status;
                     the other members are 0 then */
    bool killed;  /* it was ended by a signal */
    int number;   /* number of the signal, or the exit code */
};

/*
 * Returns the state of a program that was started and not yet reported as ended. Fills *end if the
 * program has ended. Never waits.
 */
enum child_state child_look(struct child *child, struct child_end *end);

/*
 * Requests that the program and the processes of its group (those that it started) end. If `now` is
 * set, kills them. child_look reports the end. The request is SIGTERM; on Windows it is Ctrl-Break,
 * which works only if this process has a console. On Windows it is better to close the program's
 * input.
 */
void child_terminate(struct child *child, bool now);

/* --- programs that answer and end ------------------------------------------------------------- */

/*
 * Runs a program that computes a result and ends, such as a compiler, and reads its output. The
 * caller waits for it, within a time limit.
 */

/* Limits of a program; one that exceeds them is killed. */
struct process_limits {
    size_t bytes;    /* the most bytes of its standard output */
    int64_t time_ns; /* the longest time from its start to its end */
};

enum process_result {
    PROCESS_DONE,      /* the program ended with exit code 0 */
    PROCESS_NOT_FOUND, /* there is no such program */
    PROCESS_FAILED,    /* the program failed, was killed, or exceeded a limit */
};

/* The output of a program. The caller frees `data` with free(), also after a failure. */
struct process_output {
    unsigned char *data;
    size_t size;
};

/* The most bytes of all arguments together, each with its blank and quotation marks. */
extern const size_t process_arguments_most;

/*
 * Runs `arguments[0]`, found by PATH, with the arguments up to a NULL. The program's standard input
 * is empty, and its standard output goes to `out`. On PROCESS_FAILED `error` (EXIT_CODE_CONFIG) has
 * the first line of its standard error that is not a warning, or how the program ended.
 */
enum process_result process_run(const char *const *arguments, const struct process_limits *limits,
                                struct process_output *out, struct error *error);

/* --- the file that such a program writes ------------------------------------------------------ */

/*
 * A path for a program that requires the path of its output file: the system's name for standard
 * output or, on a system without such a name, a temporary file.
 *
 * Lifecycle: make, run the program with the path among its arguments (process_run), read the file
 * if it is one, remove.
 */

struct process_target {
    char *path;   /* the program's argument */
    bool is_file; /* the program writes a file, to be read after its end; otherwise process_run
                     returns the output */
};

/* Returns false with `error` filled (EXIT_CODE_INTERNAL, EXIT_CODE_CANNOT_CREATE). */
bool process_target_make(struct process_target *target, struct error *error);

/* Removes the file, if it is one, and frees the path. */
void process_target_remove(struct process_target *target);

#endif
