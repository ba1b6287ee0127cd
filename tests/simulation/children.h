/*
 * Programs that command sinks of the simulated world start, each with the pipe that it reads: their
 * state in the system, and their behaviour.
 *
 * The collector's end of the pipe and the program's own are closed each by its side. A process is
 * forgotten when it has ended, somebody has been told so, and both ends are closed.
 *
 */
#ifndef SLUICE_TESTS_SIMULATION_CHILDREN_H
#define SLUICE_TESTS_SIMULATION_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/platform/wakeup.h"
#include "tests/simulation/check_commands.h"

/* Actions of a sink's programs. */
struct child_options {
    bool is_steady;        /* starts at once, reads all, ends with 0; what follows is then 0 */
    bool is_slow;          /* to read */
    size_t pipe;           /* bytes that its pipe takes before it is full: one page, or more */
    bool is_stubborn;      /* does not end on a signal or at the end of its input */
    unsigned cannot_start; /* in a thousand */
    unsigned breaks;       /* reads in a thousand after which it stops reading, for good or a
                              while */
};

/* The most bytes that a pipe can hold. A user with many pipes gets smaller ones. */
#define CHILD_PIPE ((size_t)64 * 1024)

/* A write of at most this number of bytes is done completely or not at all. */
#define CHILD_ATOMIC ((size_t)4096)

struct process {
    bool is_used;
    unsigned sink;
    const struct child_options *options;
    struct command_reader reader; /* the data given to it, and the data that it read */
    size_t used;                  /* bytes in the pipe */
    bool write_open, read_open;
    bool asked, killed;                   /* by a signal */
    bool has_ended, was_reported, is_off; /* is_off: none of its group runs */
    struct command_end end;
    char bytes[CHILD_PIPE];
};

/* Called before the program is started. The caller keeps the options, which must stay valid. */
void children_begin(unsigned sink, const struct child_options *options);

/* Starts a program. Returns NULL, and the reason in *why, if the system cannot. */
struct process *children_start(unsigned sink, const char **why);

/* The collector has closed its end of the pipe, or has heard of the program's end. */
void children_let_go(struct process *process);

/* The collector's process ends. `stopped`: by itself, so that no program may be left. */
void children_program_ends(bool stopped);

/* --- the collector's end of the pipe ---------------------------------------------------------- */

wait_handle children_handle(const struct process *process);

/* May be called with any handle: false if the handle is not that of a program. */
bool children_is_broken(wait_handle handle);
bool children_has_room(wait_handle handle);

#endif
