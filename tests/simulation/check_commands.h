/*
 * Compares the input of command sinks' programs with the promises: recorded as it happens, and
 * compared with the ledger of a program that stopped.
 *
 * A row contains the programs that one destination of the collector starts, one after the other; a
 * sink whose keys a reload changes has another row.
 */
#ifndef SLUICE_TESTS_SIMULATION_CHECK_COMMANDS_H
#define SLUICE_TESTS_SIMULATION_CHECK_COMMANDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/simulation/history.h"

struct scenario;

#define COMMAND_LINE 8192

/* The text after command: in the name of a sink, by its number. */
#define COMMAND_TEXT "reader%u"
unsigned commands_sink_of(const char *text);

/* How one ended. */
struct command_end {
    bool unknown, killed;
    int number; /* of the signal, or its exit code */
};

/* An end that the collector was told of. */
struct command_reported {
    struct command_end end;
    size_t unread;
    bool was_logged;
};

/* All 0 to begin with, as is the next. */
struct command_row {
    unsigned sink;
    bool runs;
    unsigned starts;
    int64_t tried_ns;              /* to start one, the last time */
    int64_t started_ns, ended_ns;  /* the last one; ended_ns: or was not started; 0: never */
    int64_t pause_ns;              /* that is taken before the next start, at least */
    int64_t unread_ns;             /* since when none reads, while none runs */
    bool is_last;                  /* the collector has ended one, and was not to replace it */
    unsigned at_once;              /* programs that were started before that */
    int64_t latest[HISTORY_FLOWS]; /* of each flow the last datagram, plus one */
};

struct command_reader {
    struct command_row *row;
    uint64_t given, given_bytes;       /* records of which it was given a part, or all */
    uint64_t read;                     /* records that it has read to the end */
    size_t unread;                     /* bytes, when its input was closed */
    bool has_head;                     /* as a file of csv begins with one */
    bool is_within;                    /* the last byte given is not the end of a record */
    bool is_cut;                       /* its time was over */
    struct command_reported *reported; /* NULL: it is not, as yet */
    int64_t started_ns;
    bool has_read_head;
    size_t line_size; /* read of a record */
    char line[COMMAND_LINE];
};

/* Before the program is started. */
void commands_begin(const struct scenario *scenario);

/* A reload requested at that time has succeeded: the running program must be replaced. */
void commands_are_replaced(int64_t asked_ns);

void command_is_to_start(struct command_row *row, unsigned sink);
void command_cannot_start(struct command_row *row);
void command_starts(struct command_row *row, struct command_reader *reader);
void command_write_fails(const struct command_row *row);
void command_row_ends(const struct command_row *row);

void command_given(struct command_reader *reader, const char *bytes, size_t size);
void command_read(struct command_reader *reader, const char *bytes, size_t size);
/* The collector closes its end, and takes back what is unread. `goes_on`: it would have read on. */
void command_input_closes(struct command_reader *reader, size_t unread, bool goes_on);
void command_is_to_end(struct command_reader *reader, bool now);
/* The collector was told. */
void command_ends(struct command_reader *reader, const struct command_end *end);

/* Whether all have read on to the end of their input, so that no record can have been lost. */
bool commands_are_well(unsigned sink);

/* Holds what the ledger says of the sink against all that. */
void check_commands(unsigned sink, json_t *ledger);

#endif
