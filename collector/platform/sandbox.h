/*
 * The sandbox: before it receives, the process gives up the files, ports and system calls that it
 * does not need, so that a fault in a decoder does not give a sender the rights of the process.
 *
 * Rights that were given up never come back. If sandbox_is_inherited is true, programs that the
 * process starts do not have them either. A port that has no such means returns SANDBOX_LEVEL_OFF
 * from sandbox_support, and sandbox_enter is not called.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_SANDBOX_H
#define SLUICE_COLLECTOR_PLATFORM_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* The permitted uses of a path, as bits. The uses of a folder apply to everything below it. */
enum sandbox_use {
    SANDBOX_READ = 1 << 0,
    SANDBOX_WRITE = 1 << 1, /* also create, rename and delete in a folder */
    SANDBOX_RUN = 1 << 2,   /* start as a program */
};

struct sandbox_path {
    char *path; /* absolute, without symbolic links; owned by the plan */
    unsigned uses;
};

/* The most ports of each kind in a plan. */
#define SANDBOX_PORTS_MOST 64

/* TCP ports. If `any` is set, all are permitted. */
struct sandbox_ports {
    bool any;
    size_t count;
    uint16_t list[SANDBOX_PORTS_MOST];
};

/* The rights that the process keeps. Begins as a zeroed struct. Main thread. */
struct sandbox_plan {
    struct sandbox_path *paths;
    size_t count, capacity;
    struct sandbox_ports listen, connect;
    bool connects;      /* connections and name lookups are needed */
    bool raw_sockets;   /* packets with the address of another sender are sent */
    bool runs_programs; /* the paths with SANDBOX_RUN are needed */
    bool masks_signals; /* a library's threads block all signals, so refused calls are not reported
                         */
};

/*
 * Adds uses of a path. If the path does not exist, adds them for the nearest folder above it that
 * exists. Adds nothing if the path is too long for the system to open it. Returns false if memory
 * is short.
 */
bool sandbox_plan_add(struct sandbox_plan *plan, const char *path, unsigned uses);

/*
 * Adds uses of a program, which is searched in the folders of PATH, and of what the system needs to
 * start it. Linux does not add a program that it does not find. Returns false if memory is short.
 */
bool sandbox_plan_add_program(struct sandbox_plan *plan, const char *name);

/*
 * Adds what the system's libraries read while the program runs. Returns false if memory is short.
 */
bool sandbox_plan_add_system(struct sandbox_plan *plan);

/*
 * Adds the folder of a file that is read, so that another file may later take its name, and the
 * folder that a symbolic link leads to. `path` may also be a folder. Adds nothing if it does not
 * exist. Returns false if memory is short.
 */
bool sandbox_plan_add_input(struct sandbox_plan *plan, const char *path);

/*
 * Adds the folder of a file that is written, renamed and deleted. Adds only the file itself if it
 * is a device or a FIFO. Returns false if memory is short.
 */
bool sandbox_plan_add_output(struct sandbox_plan *plan, const char *path);

/*
 * Returns true if `plan` permits everything that `wanted` permits. If not, writes what is missing
 * into `missing`: a path, or a few words.
 */
#define SANDBOX_MISSING_SIZE 256
bool sandbox_plan_covers(const struct sandbox_plan *plan, const struct sandbox_plan *wanted,
                         char missing[SANDBOX_MISSING_SIZE]);

/* Frees the contents and zeroes the struct. */
void sandbox_plan_free(struct sandbox_plan *plan);

enum sandbox_level {
    SANDBOX_LEVEL_OFF,
    SANDBOX_LEVEL_PARTIAL, /* files, or system calls, or threads of libraries are not restricted */
    SANDBOX_LEVEL_ON,
};

/*
 * The means that are in force, or possible, as a line for people: "landlock 7, seccomp", or why
 * there are none.
 */
#define SANDBOX_TEXT_SIZE 192
struct sandbox_state {
    enum sandbox_level level;
    char text[SANDBOX_TEXT_SIZE];
};

/* True if programs that the process starts are in the sandbox, too. */
extern const bool sandbox_is_inherited;

/* Fills *state with the means of this system for this process. Changes nothing. */
void sandbox_support(struct sandbox_state *state);

/*
 * Enters the sandbox irrevocably. Threads that begin later are inside. Threads that libraries have
 * already started are inside if the system can do that. *state says what is in force, also after a
 * failure. Adds rights that the process keeps, because a means is missing, to the plan, so that
 * sandbox_plan_covers permits them. `refused` is called from any thread, even from a signal
 * handler, after a refused system call, so it may only wake another thread. Main thread; call once.
 * Returns 0 if all means that the system has are in force. Returns -1 with `error` filled
 * (EXIT_CODE_INTERNAL) if one of them failed; the process may then have given up part of its
 * rights.
 */
int sandbox_enter(struct sandbox_plan *plan, void (*refused)(void *context), void *context,
                  struct sandbox_state *state, struct error *error);

/*
 * Returns true if an error's text contains the system's text for a file outside the sandbox. Other
 * causes, such as the mode of the file, have the same text.
 */
bool sandbox_may_cause(const char *text);

/*
 * sandbox_expect announces that this process will enter a sandbox, or will note (sandbox_note) that
 * it does not. From then until sandbox_note, sandbox_is_expected returns true, in any thread.
 * Entering interrupts the system calls of threads that run already, so a library that does not
 * repeat them should not be called yet.
 */
void sandbox_expect(void);
bool sandbox_is_expected(void);

/*
 * sandbox_note stores the final state of this process, once. sandbox_in_force returns it, or NULL
 * before that. Main thread.
 */
void sandbox_note(const struct sandbox_state *state);
const struct sandbox_state *sandbox_in_force(void);

/* Returns the level's name for metrics and for the page: "off", "partial", "on". */
const char *sandbox_level_name(enum sandbox_level level);

/*
 * Takes a system call that was refused, once or several times, since it was last taken. Returns
 * false if there is none. Main thread.
 */
struct sandbox_refusal {
    const char *name; /* "?": this program has no name for the call */
    unsigned number;
};
bool sandbox_take_refusal(struct sandbox_refusal *refusal);

#endif
