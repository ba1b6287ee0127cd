/*
 * What the bench has to say, as tables for a person or as one JSON document for a program: the same
 * numbers, given once by whoever measured them.
 *
 * Lifecycle: report_begin; facts, tables and notes, one after the other; report_end. Text is
 * written at once, so that a long run shows how far it is; the document when it is whole. One
 * thread.
 */
#ifndef SLUICE_TOOLS_BENCH_REPORT_H
#define SLUICE_TOOLS_BENCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "collector/base/compiler.h"
#include "collector/text/output.h"

#define REPORT_COLUMNS_MOST 16

struct report_column {
    const char *key;     /* in JSON */
    const char *heading; /* in text */
    int width;           /* of the column in text; of words: negative, they stand to the left */
    int decimals;        /* of its numbers in text */
};

/* A word, where there is one, else a number; NaN is "-" in text and null in JSON. */
struct report_cell {
    const char *text;
    double number;
};

struct report {
    FILE *out;
    bool json;
    bool first; /* nothing was written yet */
    struct output document;
    struct output notes;
    const struct report_column *columns; /* of the table at hand */
    size_t column_count;
};

/* Writes to `out`, which stays the caller's. Returns false where there is no memory for it;
 * report_end frees what it takes. */
bool report_begin(struct report *report, FILE *out, bool json);

/* An object of facts: begin, any number of them, end. `label` is what stands before it in text. */
void report_facts_begin(struct report *report, const char *key);
void report_fact_text(struct report *report, const char *key, const char *label, const char *text);
void report_fact_number(struct report *report, const char *key, const char *label, double number,
                        const char *unit);
void report_facts_end(struct report *report);

/* A table: an array of objects in JSON. `title` may be NULL; the columns live until its end. */
void report_table_begin(struct report *report, const char *key, const char *title,
                        const struct report_column *columns, size_t count);
void report_row(struct report *report, const struct report_cell *cells);
void report_table_end(struct report *report);

/* A line for whoever reads the numbers; between tables, not inside one. */
void report_note(struct report *report, const char *format, ...) PRINTF_LIKE(2, 3);

/*
 * Frees all, and before that writes the document, where it is one and `whole` says that all of it
 * is there. Returns false where it did not fit.
 */
bool report_end(struct report *report, bool whole);

static inline struct report_cell report_word(const char *text)
{
    return (struct report_cell){.text = text};
}

static inline struct report_cell report_number(double number)
{
    return (struct report_cell){.number = number};
}

#endif
