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
#define HISTORY_STREAMS      2 /* listeners of streams, whose numbers follow */
#define HISTORY_LIVES        3
#define HISTORY_PIPE         ((size_t)8 * 1024 * 1024)
#define HISTORY_LOG          ((size_t)1024 * 1024)

/* A datagram that came to the collector's host, or a frame of a stream: numbers rise in the order
 * in which they did, or were written. */
struct sent {
    uint8_t life; /* of the program in which it came, from 1 */
    uint8_t listener;
    uint16_t flow; /* its sender, and which of the listener's lives it came to; or its
                      connection */
    uint8_t epoch; /* of the configuration, when the program was handed it: see history.epoch */
    uint8_t last_epoch; /* the same, when it had certainly been decoded; HISTORY_OPEN: not yet */
    uint32_t sequence;  /* that its sender gave it */
    bool is_good;       /* else it cannot be decoded */
    bool received;
};

#define HISTORY_OPEN UINT8_MAX

/* How a life of the program ended. */
enum life_end {
    LIFE_GOES_ON,
    LIFE_STOPPED, /* it ended by itself, with `code` */
    LIFE_KILLED,
    LIFE_POWER_CUT,
};

/* Facts about a delivery: about each datagram, and about this life. */
struct delivered {
    uint8_t arrived[HISTORY_DATAGRAMS];    /* how often it came to the far end */
    uint8_t first_life[HISTORY_DATAGRAMS]; /* in which it came first */
    bool forgets[HISTORY_LIVES + 1];  /* a life's end: what it had sent may not have been noted */
    bool settled[HISTORY_DATAGRAMS];  /* the program was told of its acknowledgement or refusal */
    bool maybe_sent[HISTORY_DATAGRAMS]; /* in this life: it was sent, and not answered */
    int64_t handed_ns[HISTORY_DATAGRAMS]; /* since when it is with the far end; 0: it is not */
    bool owed[HISTORY_DATAGRAMS]; /* on disk when the last life ended, without an outcome yet */
    bool on_disk[HISTORY_DATAGRAMS];
    size_t last_block; /* records in the block that was stored last */
    size_t torn;       /* records in blocks whose ends are cut, at the end of this life, */
    size_t was_torn;   /* and at that of earlier ones, less what a ledger has said of them */
    uint64_t ids[HISTORY_DATAGRAMS];
    int64_t latest[HISTORY_FLOWS]; /* first arrival of a flow that came last; 0: none */
    unsigned connections;          /* that were made in this life */

    /* Answers that the program was handed in this life, by records. */
    uint64_t acknowledged, rejected, too_large, denied;
    uint64_t refused_in_doubt;   /* it may be there all the same */
    uint64_t known_duplicates;   /* acknowledged, after one that was not answered in this life */
    uint64_t certain_duplicates; /* acknowledged, and there before, which must have been noted */
};

struct history {
    unsigned life; /* that lives now, from 1 */
    bool had_power_cut;
    enum life_end end;
    int code;
    uint64_t steps; /* calls of the platform in all lives */

    struct sent sent[HISTORY_DATAGRAMS];
    uint32_t sent_count;
    unsigned connections;                /* that were made, in all lives */
    uint64_t drops, left_behind, faults; /* in this life */
    bool stopped_twice, stopped_in_time;

    /*
     * Which configuration the program has, from 0 in each life: the number is even. While a reload
     * is asked for and has no outcome it is odd: the one before or the next one.
     */
    uint8_t epoch;
    /* A bit for each configuration of a life. */
    uint16_t has_sink[HISTORY_LIVES + 1][HISTORY_SINKS];
    bool plain[HISTORY_SINKS], rotated[HISTORY_SINKS]; /* in this life it had such a file */
    unsigned openings; /* of files by another configuration or life, at most */

    /* Records that were in the sink's files, or in the pipe, when it last came to an end: whole
     * lines, and of a power cut only what had been synced. They stay there. */
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
/* The configuration that comes into force has that sink; or it begins with the life. */
void history_note_sink(unsigned sink, unsigned configuration, bool has);

/* Whether the datagram was handed to the program, and is for the sink: perhaps, or certainly. */
bool history_may_have(unsigned sink, uint32_t number);
bool history_must_have(unsigned sink, uint32_t number);

/* Whether the sink was there in all of this life, or in any of it. */
bool history_always_had(unsigned sink);
bool history_ever_had(unsigned sink);

/* Whether every requested reload has its outcome: the program may end before. */
bool history_is_settled(void);

/* A datagram arrives at a far end. Returns whether for the first time; if `once`, a second arrival
 * fails the run. */
bool history_note_arrival(unsigned sink, uint32_t number, bool once);

/* The program is given the answer of a far end. */
void history_note_acknowledged(unsigned sink, uint32_t number);
void history_note_refused(unsigned sink, uint32_t number, enum delivery_reason reason);

void history_log(const char *bytes, size_t size);
void history_read_from_pipe(const uint8_t *bytes, size_t size);

#endif
