/*
 * The history of a simulated run, from the view of the world and not of the collector: sent
 * datagrams, their outcomes, data read from the pipe, the log. It is in memory shared by all
 * processes of a run.
 */
#ifndef SLUICE_TESTS_SIMULATION_HISTORY_H
#define SLUICE_TESTS_SIMULATION_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/delivery.h"

#define HISTORY_DATAGRAMS    20000
#define HISTORY_SENDERS      8
#define HISTORY_CONNECTIONS  256
#define HISTORY_SENDER_FLOWS (4 * HISTORY_SENDERS)
#define HISTORY_FLOWS        (HISTORY_SENDER_FLOWS + HISTORY_CONNECTIONS)
#define HISTORY_SINKS        4
#define HISTORY_LISTENERS    3
#define HISTORY_STREAMS      2 /* listeners of streams; their numbers follow those of
                                  HISTORY_LISTENERS */
#define HISTORY_LIVES        3
#define HISTORY_PIPE         ((size_t)8 * 1024 * 1024)
#define HISTORY_LOG          ((size_t)1024 * 1024)

/*
 * A datagram that came to the collector's host, or a frame of a stream. They are numbered in the
 * order in which datagrams came and frames were written.
 */
struct sent {
    uint8_t life; /* the program's life in which it came, from 1 */
    uint8_t listener;
    uint16_t flow; /* its sender together with the listener's life that it came to; or its
                      connection */
    uint8_t epoch; /* the configuration when the program was handed it: see history.epoch */
    uint8_t last_epoch; /* the same when it was certainly decoded; HISTORY_OPEN: not known yet */
    uint32_t sequence;  /* the number that its sender gave it */
    bool is_good;       /* otherwise it cannot be decoded */
    bool received;
};

#define HISTORY_OPEN UINT8_MAX

/* How a life of the program ended. */
enum life_end {
    LIFE_GOES_ON,
    LIFE_STOPPED, /* by itself, with the exit code `code` */
    LIFE_KILLED,
    LIFE_POWER_CUT,
};

/* Facts about a delivery: about each datagram, and about this life. */
struct delivered {
    uint8_t arrived[HISTORY_DATAGRAMS];    /* times it came to the far end */
    uint8_t first_life[HISTORY_DATAGRAMS]; /* the life of its first arrival */
    bool forgets[HISTORY_LIVES + 1];  /* the sink may have failed to note, in this life, what it had
                                         sent */
    bool settled[HISTORY_DATAGRAMS];  /* the program knows that it was acknowledged or refused */
    bool maybe_sent[HISTORY_DATAGRAMS]; /* sent in this life, without an answer */
    int64_t handed_ns[HISTORY_DATAGRAMS]; /* since when the far end has it; 0: it has not */
    bool owed[HISTORY_DATAGRAMS]; /* on disk, without an outcome, when the last life ended */
    bool on_disk[HISTORY_DATAGRAMS];
    size_t last_block; /* records in the block that was stored last */
    size_t torn;       /* records in blocks that were cut, at this life's end */
    size_t was_torn;   /* the same at earlier ends; less those that a ledger has reported */
    uint64_t ids[HISTORY_DATAGRAMS];
    int64_t latest[HISTORY_FLOWS]; /* of each flow, its latest record by first arrival; 0: none */
    unsigned connections;          /* made in this life */

    /* Answers handed to the program in this life: the number of records. */
    uint64_t acknowledged, rejected, too_large, denied;
    uint64_t refused_in_doubt;   /* refused, but may have been accepted */
    uint64_t known_duplicates;   /* acknowledged, after it was sent without an answer in this
                                    life */
    uint64_t certain_duplicates; /* acknowledged, and known to have arrived before */
};

struct history {
    unsigned life; /* the present one, from 1 */
    bool had_power_cut;
    enum life_end end;
    int code;
    uint64_t steps; /* calls of the platform in all lives */

    struct sent sent[HISTORY_DATAGRAMS];
    uint32_t sent_count;
    unsigned connections;                /* made in all lives */
    uint64_t drops, left_behind, faults; /* in this life */
    bool stopped_twice, stopped_in_time;

    /*
     * The configuration that the program has, from 0 in each life, times 2. While a reload is
     * requested and has no outcome the number is odd: the program has this configuration or the
     * next one.
     */
    uint8_t epoch;
    /* A bit for each configuration of a life. */
    uint16_t has_sink[HISTORY_LIVES + 1][HISTORY_SINKS];
    bool plain[HISTORY_SINKS], rotated[HISTORY_SINKS]; /* whether such a file was there in this
                                                          life */
    unsigned openings; /* most times that files of another configuration or life were opened */

    /*
     * Records that were in the sink's files or in the pipe when a life last ended: complete lines;
     * after a power cut only synced ones. They must stay there.
     */
    bool stays[HISTORY_SINKS][HISTORY_DATAGRAMS];

    /* The data that the pipe's reader has read in this life. */
    uint8_t pipe[HISTORY_PIPE];
    size_t pipe_size;
    bool pipe_broken;

    struct delivered delivered[HISTORY_SINKS];

    char log[HISTORY_LOG]; /* of this life */
    size_t log_size;
};

extern struct history *history;

void history_create(void);
void history_clear(void);
void history_begin_life(void);
/* The configuration that takes effect, or with which the life begins, has that sink or not. */
void history_note_sink(unsigned sink, unsigned configuration, bool has);

/* Whether the sink got the datagram: possibly (may_have), or certainly (must_have). */
bool history_may_have(unsigned sink, uint32_t number);
bool history_must_have(unsigned sink, uint32_t number);

/* Whether the sink was there in all of this life, or in any of it. */
bool history_always_had(unsigned sink);
bool history_ever_had(unsigned sink);

/* Whether every requested reload has its outcome. It may have none when the program ends. */
bool history_is_settled(void);

/*
 * A datagram arrives at a far end. Returns whether this is its first arrival. If `once`, a second
 * arrival fails the run.
 */
bool history_note_arrival(unsigned sink, uint32_t number, bool once);

/* The program is given the answer of a far end. */
void history_note_acknowledged(unsigned sink, uint32_t number);
void history_note_refused(unsigned sink, uint32_t number, enum delivery_reason reason);

void history_log(const char *bytes, size_t size);
void history_read_from_pipe(const uint8_t *bytes, size_t size);

#endif
