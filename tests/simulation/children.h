/*
 * Programs that command sinks of the simulated world start, each with the pipe that it reads: what
 * the system knows of them, and what they do.
 *
 * The collector's end of the pipe and the program's own are closed each by its side. A process is
 * forgotten when it has ended, somebody has been told so, and both ends are closed.
 */
#ifndef SLUICE_TESTS_SIMULATION_CHILDREN_H
#define SLUICE_TESTS_SIMULATION_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/platform/wakeup.h"
#include "tests/simulation/check_commands.h"

/* Actions of a sink's programs. */
struct child_options {
    bool is_steady;        /* each starts at once, reads all, and ends well: what follows is 0 */
    bool is_slow;          /* to read */
    size_t pipe;           /* bytes that its pipe takes before it is full: one page, or more */
    bool is_stubborn;      /* does not end when it is asked to, or finds the end of its input */
    unsigned cannot_start; /* in a thousand */
    unsigned breaks;       /* the same of reads, after which it reads no more, or for a while */
};

/* Bytes that a pipe takes before it is full, at most: a user with many pipes has smaller ones. */
#define CHILD_PIPE ((size_t)64 * 1024)

/* Bytes that a write puts there as a whole or not. */
#define CHILD_ATOMIC ((size_t)4096)

struct process {
    bool is_used;
    unsigned sink;
    const struct child_options *options;
    struct command_reader reader; /* what it was given, and what it read */
    size_t used;                  /* bytes in the pipe */
    bool write_open, read_open;
    bool asked, killed;                   /* by a signal */
    bool has_ended, was_reported, is_off; /* is_off: none of its group runs */
    struct command_end end;
    char bytes[CHILD_PIPE];
};

/* Before the program is started. The options stay the caller's. */
void children_begin(unsigned sink, const struct child_options *options);

/* Starts one; NULL: the system cannot, for that reason. */
struct process *children_start(unsigned sink, const char **why);

/* The collector has closed its end, or knows that it has ended. */
void children_let_go(struct process *process);

/* The process of the collector ends. `stopped`: by itself, so that none is left. */
void children_program_ends(bool stopped);

/* --- the collector's end of the pipe ---------------------------------------------------------- */

wait_handle children_handle(const struct process *process);

/* Of any handle: false of one that is none. */
bool children_is_broken(wait_handle handle);
bool children_has_room(wait_handle handle);

#endif
