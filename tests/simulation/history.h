/*
 * The history of a simulated run: sent datagrams and their outcomes, the data read from the pipe,
 * and the log. The simulated world writes it, so that the collector's reports can be compared with
 * it. It is in memory that all processes of the run share.
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
#define HISTORY_STREAMS      2 /* stream listeners, numbered after the others */
#define HISTORY_LIVES        3
#define HISTORY_PIPE         ((size_t)8 * 1024 * 1024)
#define HISTORY_LOG          ((size_t)1024 * 1024)

/*
 * A datagram that reached the collector's host, or a frame that a client wrote to a stream. Both
 * are numbered in one series, in order of time.
 */
struct sent {
    uint8_t life; /* the life of the program in which it came, from 1 */
    uint8_t listener;
    /* Identifies its sender and the opening of the listener's port, or its connection. */
    uint16_t flow;
    uint8_t epoch; /* history.epoch when the program received it */
    /* history.epoch when it was certainly decoded; HISTORY_OPEN: not known yet. */
    uint8_t last_epoch;
    uint32_t sequence; /* the sequence number from its sender */
    bool is_good;      /* can be decoded */
    bool received;
};

#define HISTORY_OPEN UINT8_MAX

/* The end of a life of the program. */
enum life_end {
    LIFE_GOES_ON,
    LIFE_STOPPED, /* not killed: it exited with `code` */
    LIFE_KILLED,
    LIFE_POWER_CUT,
};

/*
 * Facts about a delivery. Arrays of HISTORY_DATAGRAMS elements are indexed by the number of the
 * datagram.
 */
struct delivered {
    uint8_t arrived[HISTORY_DATAGRAMS];    /* number of arrivals at the far end */
    uint8_t first_life[HISTORY_DATAGRAMS]; /* the life in which it first arrived */
    /* In this life the sink may have failed to note which records it had sent. */
    bool forgets[HISTORY_LIVES + 1];
    /* The program has received the answer: acknowledged or refused. */
    bool settled[HISTORY_DATAGRAMS];
    bool maybe_sent[HISTORY_DATAGRAMS]; /* sent in this life without an answer */
    /* Time since which the far end has it. 0 if it does not have it. */
    int64_t handed_ns[HISTORY_DATAGRAMS];
    bool owed[HISTORY_DATAGRAMS]; /* on disk without an outcome when the last life ended */
    bool on_disk[HISTORY_DATAGRAMS];
    size_t last_block; /* records in the last stored block */
    size_t torn;       /* records in incomplete blocks at the end of this life */
    /* Records in incomplete blocks of earlier lives that no ledger has reported yet. */
    size_t was_torn;
    uint64_t ids[HISTORY_DATAGRAMS];
    /* For each flow, the last record that arrived for the first time; 0 means none. */
    int64_t latest[HISTORY_FLOWS];
    unsigned connections; /* number of connections in this life */

    /* Numbers of records in the answers that the program got in this life. */
    uint64_t acknowledged, rejected, too_large, denied;
    uint64_t
        refused_in_doubt; /* refused, although it may have been sent before without an answer */
    uint64_t known_duplicates;   /* acknowledged after it was sent without an answer in this life */
    uint64_t certain_duplicates; /* acknowledged although it had arrived before */
};

struct history {
    unsigned life; /* number of the current life, from 1 */
    bool had_power_cut;
    enum life_end end;
    int code;
    uint64_t steps; /* platform calls in all lives */

    struct sent sent[HISTORY_DATAGRAMS];
    uint32_t sent_count;
    unsigned connections;                /* number of connections in all lives */
    uint64_t drops, left_behind, faults; /* numbers in this life */
    bool stopped_twice, stopped_in_time;

    /*
     * Twice the number of the program's configuration, which is 0 at the beginning of each life.
     * While a reload is pending, it is odd: the program has this configuration or the next one.
     */
    uint8_t epoch;
    /* For each life and sink, a bit for each configuration that has the sink. */
    uint16_t has_sink[HISTORY_LIVES + 1][HISTORY_SINKS];
    /* The program opened a plain or a rotated file of the sink in this life. */
    bool plain[HISTORY_SINKS], rotated[HISTORY_SINKS];
    /* An upper limit of the number of times that a file was opened. */
    unsigned openings;

    /*
     * Records whose complete lines were in the sink's files or in the pipe at the end of a life;
     * after a power cut, only synced lines. They must stay there.
     */
    bool stays[HISTORY_SINKS][HISTORY_DATAGRAMS];

    /* Bytes that the pipe's reader has read in this life. */
    uint8_t pipe[HISTORY_PIPE];
    size_t pipe_size;
    bool pipe_broken;

    struct delivered delivered[HISTORY_SINKS];

    char log[HISTORY_LOG]; /* the log lines of this life */
    size_t log_size;
};

extern struct history *history;

void history_create(void);
void history_clear(void);
void history_begin_life(void);
/* Notes whether this configuration has the sink. */
void history_note_sink(unsigned sink, unsigned configuration, bool has);

/*
 * history_may_have returns true if the sink may have got the datagram, history_must_have if it
 * certainly got it.
 */
bool history_may_have(unsigned sink, uint32_t number);
bool history_must_have(unsigned sink, uint32_t number);

/* Return true if the sink existed during all of this life, or during a part of it. */
bool history_always_had(unsigned sink);
bool history_ever_had(unsigned sink);

/*
 * Returns true if every requested reload has succeeded or was refused. The last one may have no
 * outcome if the program has ended.
 */
bool history_is_settled(void);

/*
 * Notes that a datagram has arrived at a far end. Returns true if this is its first arrival. If
 * `once` is set, a second arrival fails the run.
 */
bool history_note_arrival(unsigned sink, uint32_t number, bool once);

/* Note that the program has received the answer of a far end. */
void history_note_acknowledged(unsigned sink, uint32_t number);
void history_note_refused(unsigned sink, uint32_t number, enum delivery_reason reason);

void history_log(const char *bytes, size_t size);
void history_read_from_pipe(const uint8_t *bytes, size_t size);

#endif
