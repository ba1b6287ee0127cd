/*
 * Simulates the programs that `command:` sinks start: their processes, their pipes, and their
 * behaviour.
 *
 * The collector and the program each close their own end of the pipe. A process is forgotten when
 * it has ended, its end was reported, and both ends of the pipe are closed.
 */
#ifndef SLUICE_TESTS_SIMULATION_CHILDREN_H
#define SLUICE_TESTS_SIMULATION_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/platform/wakeup.h"
#include "tests/simulation/check_commands.h"

/* The behaviour of a sink's programs. */
struct child_options {
    /* Starts at once, reads all of its input, and exits with 0. The options below are then 0. */
    bool is_steady;
    bool is_slow;          /* reads slowly */
    size_t pipe;           /* bytes that its pipe holds: one page or more */
    bool is_stubborn;      /* continues after a signal, and after the end of its input */
    unsigned cannot_start; /* starts in a thousand that fail */
    /* Reads in a thousand after which it stops reading, for some time or finally. */
    unsigned breaks;
};

/* The capacity of a pipe in bytes. A user with many pipes gets smaller ones. */
#define CHILD_PIPE ((size_t)64 * 1024)

/* A write of at most this number of bytes is completed or has no effect. */
#define CHILD_ATOMIC ((size_t)4096)

struct process {
    bool is_used;
    unsigned sink;
    const struct child_options *options;
    struct command_reader reader; /* records the data written to it and the data it has read */
    size_t used;                  /* bytes in the pipe */
    bool write_open, read_open;
    bool asked, killed;                   /* by a signal from the collector */
    bool has_ended, was_reported, is_off; /* is_off: no process of its group runs */
    struct command_end end;
    char bytes[CHILD_PIPE];
};

/* Called before the program is started. The caller keeps the options, which must stay valid. */
void children_begin(unsigned sink, const struct child_options *options);

/* Starts a program. Returns NULL, and the reason in *why, if the system cannot. */
struct process *children_start(unsigned sink, const char **why);

/*
 * Called when the collector has closed its end of the pipe, or has learnt that the program has
 * ended.
 */
void children_let_go(struct process *process);

/*
 * The collector's process ends. If `stopped` is set it was not killed, and no program may be left.
 */
void children_program_ends(bool stopped);

/* --- the collector's end of the pipe ---------------------------------------------------------- */

wait_handle children_handle(const struct process *process);

/* Accept any handle. Return false if it does not belong to a program. */
bool children_is_broken(wait_handle handle);
bool children_has_room(wait_handle handle);

#endif
