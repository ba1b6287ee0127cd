/*
 * What happened in a simulated run, as the world saw it and not the collector: what was sent, what
 * became of it, what was read from the pipe, what was logged. It lies in memory that all processes
 * of a run share.
 */
#ifndef SLUICE_TESTS_SIMULATION_HISTORY_H
#define SLUICE_TESTS_SIMULATION_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_DATAGRAMS 20000
#define HISTORY_SENDERS   8
#define HISTORY_SINKS     4
#define HISTORY_PIPE      ((size_t)8 * 1024 * 1024)
#define HISTORY_LOG       ((size_t)1024 * 1024)

struct sent {
    uint8_t life; /* of the program in which it was sent, from 1 */
    uint8_t sender;
    bool is_good; /* else it cannot be decoded */
    bool received;
};

/* How a life of the program ended. */
enum life_end {
    LIFE_GOES_ON,
    LIFE_STOPPED, /* it ended by itself, with `code` */
    LIFE_KILLED,
    LIFE_POWER_CUT,
};

struct history {
    unsigned life; /* that lives now, from 1 */
    bool had_power_cut;
    enum life_end end;
    int code;
    uint64_t steps; /* calls of the platform in all lives */

    struct sent sent[HISTORY_DATAGRAMS];
    uint32_t sent_count;
    uint64_t drops, left_behind, faults; /* in this life */
    unsigned reloads;                    /* that were asked for in it */
    bool stopped_twice;

    /* Records that were in the sink's files, or in the pipe, when it last came to an end: whole
     * lines, and of a power cut only what had been synced. They stay there. */
    bool stays[HISTORY_SINKS][HISTORY_DATAGRAMS];

    /* What the pipe's reader has read in this life. */
    uint8_t pipe[HISTORY_PIPE];
    size_t pipe_size;
    bool pipe_broken;

    char log[HISTORY_LOG]; /* of this life */
    size_t log_size;
};

extern struct history *history;

void history_create(void);
void history_clear(void);
void history_begin_life(void);
void history_log(const char *bytes, size_t size);
void history_read_from_pipe(const uint8_t *bytes, size_t size);

#endif
