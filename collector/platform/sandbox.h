/*
 * The sandbox: before it receives, the process gives up the files, ports and system calls that it
 * does not need, so that a fault in a decoder does not give a sender the rights of the process.
 *
 * Rights that were given up never come back, also not for programs that the process starts. A port
 * that has no such means returns false from sandbox_support, and the other functions are not
 * called.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_SANDBOX_H
#define SLUICE_COLLECTOR_PLATFORM_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* The uses of a path that stay permitted, as bits. A folder stands for all below it. */
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

/* TCP ports. `any`: all are permitted. */
struct sandbox_ports {
    bool any;
    size_t count;
    uint16_t list[SANDBOX_PORTS_MOST];
};

/* The rights that stay. Begin with a zeroed struct. Main thread. */
struct sandbox_plan {
    struct sandbox_path *paths;
    size_t count, capacity;
    struct sandbox_ports listen, connect;
    bool connects;      /* connections and name lookups are needed */
    bool raw_sockets;   /* packets with the address of another sender are sent */
    bool runs_programs; /* the paths with SANDBOX_RUN are needed */
    bool masks_signals; /* a library's threads block all signals: refused calls are not reported */
};

/*
 * Adds uses of a path. A path that does not exist is represented by the nearest folder above it
 * that does. Returns false if memory is short.
 */
bool sandbox_plan_add(struct sandbox_plan *plan, const char *path, unsigned uses);

/*
 * Adds uses of a program, which is searched as execvp(3) does, and of what the system needs to
 * start it. A program that is not found is not added. Returns false if memory is short.
 */
bool sandbox_plan_add_program(struct sandbox_plan *plan, const char *name);

/* Adds what the system's libraries read during a run. Returns false if memory is short. */
bool sandbox_plan_add_system(struct sandbox_plan *plan);

/*
 * Adds a file that is read, also if another file later takes its name: its folder, and the folder
 * that a symbolic link leads to. A folder is added, too. Returns false if memory is short.
 */
bool sandbox_plan_add_input(struct sandbox_plan *plan, const char *path);

/*
 * Adds a file that is written, renamed and deleted: its folder; for a device or a FIFO only itself.
 * Returns false if memory is short.
 */
bool sandbox_plan_add_output(struct sandbox_plan *plan, const char *path);

/*
 * Whether all that `wanted` permits is permitted by `plan`. If not, writes what is missing into
 * `missing`: a path, or a few words.
 */
#define SANDBOX_MISSING_SIZE 256
bool sandbox_plan_covers(const struct sandbox_plan *plan, const struct sandbox_plan *wanted,
                         char missing[SANDBOX_MISSING_SIZE]);

/* Frees the contents and zeroes the struct. */
void sandbox_plan_free(struct sandbox_plan *plan);

/*
 * Whether this process could enter a sandbox. Writes a line for people into `text`: the means and
 * their versions ("landlock 7, seccomp"), or why there are none. Changes nothing.
 */
#define SANDBOX_TEXT_SIZE 192
bool sandbox_support(char text[SANDBOX_TEXT_SIZE]);

/*
 * Enters the sandbox, for good. Every thread that begins after that is inside. Threads that
 * libraries have already started are inside as far as the system can do that; `text` gets a line
 * that says what is in force. `refused` is called from any thread, even from a signal handler,
 * after a refused system call: it may only wake another thread up. Main thread; call once. Returns
 * 0, or -1 with `error` filled (EXIT_CODE_CONFIG, EXIT_CODE_INTERNAL): the process must end, as it
 * may have given up part of its rights.
 */
int sandbox_enter(const struct sandbox_plan *plan, void (*refused)(void *context), void *context,
                  char text[SANDBOX_TEXT_SIZE], struct error *error);

/*
 * Takes a system call that was refused, once or several times, since it was last taken. Returns
 * false if there is none. Main thread.
 */
struct sandbox_refusal {
    const char *name; /* "?": a call without a name in this program */
    unsigned number;
};
bool sandbox_take_refusal(struct sandbox_refusal *refusal);

#endif
