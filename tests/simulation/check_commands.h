/*
 * Checks the input of the programs that `command:` sinks start. Records the input as it is written
 * and read, and compares it with the ledger after the collector has stopped.
 *
 * A row is the series of programs that one destination of the collector starts, one after the
 * other. If a reload changes the keys of a sink, a new row begins.
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

/* The text after "command:" in a sink's URL. It contains the number of the sink. */
#define COMMAND_TEXT "reader%u"
unsigned commands_sink_of(const char *text);

/* The end of a program. */
struct command_end {
    bool unknown, killed;
    int number; /* number of the signal, or the exit code */
};

/* An end that was reported to the collector. */
struct command_reported {
    struct command_end end;
    size_t unread;
    bool was_logged;
};

/* A new row must be zero-initialised. */
struct command_row {
    unsigned sink;
    bool runs;
    unsigned starts;
    int64_t tried_ns; /* time of the last attempt to start a program */
    /* Times of the last program, or of the failed start (ended_ns). 0 means never. */
    int64_t started_ns, ended_ns;
    int64_t pause_ns;  /* minimum pause before the next start */
    int64_t unread_ns; /* time since which no program has read */
    bool is_last;      /* the collector has ended the program and must not start another one */
    unsigned at_once;  /* programs that were started before the pause was over */
    int64_t latest[HISTORY_FLOWS]; /* for each flow, the number of its last datagram plus one */
};

struct command_reader {
    struct command_row *row;
    /* Records and bytes written to the program; the last record may be incomplete. */
    uint64_t given, given_bytes;
    uint64_t read;                     /* records that the program has read completely */
    size_t unread;                     /* bytes still unread when the program's input was closed */
    bool has_head;                     /* its input began with a csv header */
    bool is_within;                    /* the last byte written to it is inside a record */
    bool is_cut;                       /* it was killed after its time limit */
    struct command_reported *reported; /* NULL until its end is reported */
    int64_t started_ns;
    bool has_read_head;
    size_t line_size; /* bytes read of the current record */
    char line[COMMAND_LINE];
};

/* Called before the program is started. */
void commands_begin(const struct scenario *scenario);

/*
 * Called when a reload that was requested at `asked_ns` has succeeded. The collector must then
 * replace the running programs.
 */
void commands_are_replaced(int64_t asked_ns);

void command_is_to_start(struct command_row *row, unsigned sink);
void command_cannot_start(struct command_row *row);
void command_starts(struct command_row *row, struct command_reader *reader);
void command_write_fails(const struct command_row *row);
void command_row_ends(const struct command_row *row);

void command_given(struct command_reader *reader, const char *bytes, size_t size);
void command_read(struct command_reader *reader, const char *bytes, size_t size);
/*
 * Called when the collector closes the program's input and takes back `unread` bytes. `goes_on`
 * means that the program would have continued to read.
 */
void command_input_closes(struct command_reader *reader, size_t unread, bool goes_on);
void command_is_to_end(struct command_reader *reader, bool now);
/* Called when the collector has learnt that the program has ended. */
void command_ends(struct command_reader *reader, const struct command_end *end);

/*
 * Returns true if all programs of the sink have read their input to the end. Then no record may be
 * lost.
 */
bool commands_are_well(unsigned sink);

/* Compares the sink's ledger entry with the recorded facts. */
void check_commands(unsigned sink, json_t *ledger);

#endif
