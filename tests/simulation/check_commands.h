/*
 * Compares the input of command sinks' programs with the promises: the input is recorded as it
 * comes, and compared with the ledger when the collector has stopped.
 *
 * A row contains the programs that one destination of the collector starts, one after the other; a
 * sink whose keys a reload changes has another row.
 *
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

/* The name of a sink after "command:"; it contains the sink's number. */
#define COMMAND_TEXT "reader%u"
unsigned commands_sink_of(const char *text);

/* How a program ended. */
struct command_end {
    bool unknown, killed;
    int number; /* the signal's number, or the exit code */
};

/* An end that was reported to the collector. */
struct command_reported {
    struct command_end end;
    size_t unread;
    bool was_logged;
};

/* All 0 at the beginning. */
struct command_row {
    unsigned sink;
    bool runs;
    unsigned starts;
    int64_t tried_ns;              /* of the last try to start a program */
    int64_t started_ns, ended_ns;  /* of the last program; ended_ns: or of the failed start; 0:
                                      never */
    int64_t pause_ns;              /* the least pause before the next start */
    int64_t unread_ns;             /* since when no program reads */
    bool is_last;                  /* the collector has ended a program, and must not replace it */
    unsigned at_once;              /* programs that were started before the pause was over */
    int64_t latest[HISTORY_FLOWS]; /* of each flow, the last datagram plus one */
};

struct command_reader {
    struct command_row *row;
    uint64_t given, given_bytes;       /* records given to the program, completely or in part */
    uint64_t read;                     /* records that the program has read completely */
    size_t unread;                     /* unread bytes when its input was closed */
    bool has_head;                     /* its input began with the head of csv */
    bool is_within;                    /* the last byte given is not the end of a record */
    bool is_cut;                       /* it was cut off when its time was over */
    struct command_reported *reported; /* NULL: its end is not reported yet */
    int64_t started_ns;
    bool has_read_head;
    size_t line_size; /* bytes read of the present record */
    char line[COMMAND_LINE];
};

/* Called before the program is started. */
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
/*
 * The collector closes the program's input and takes back the unread bytes. `goes_on`: the program
 * would have read on.
 */
void command_input_closes(struct command_reader *reader, size_t unread, bool goes_on);
void command_is_to_end(struct command_reader *reader, bool now);
/* The end of a program was reported to the collector. */
void command_ends(struct command_reader *reader, const struct command_end *end);

/* Whether all programs have read to the end of their input, so that no record can be lost. */
bool commands_are_well(unsigned sink);

/* Compares the sink's entry in the ledger with the recorded facts. */
void check_commands(unsigned sink, json_t *ledger);

#endif
