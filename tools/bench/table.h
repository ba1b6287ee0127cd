/*
 * Writes tables of numbers in Markdown, with columns that are aligned on a terminal. Each row is
 * written immediately, to show the progress of a long run. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_TABLE_H
#define SLUICE_TOOLS_BENCH_TABLE_H

#include <stddef.h>
#include <stdio.h>

struct table_column {
    const char *heading;
    int width; /* in characters, at least 3; negative: words, aligned to the left */
    int decimals;
};

/* A word or, if `word` is NULL, a number. NaN is shown as "-". */
struct table_cell {
    const char *word;
    double number;
};

struct table {
    FILE *out;
    const struct table_column *columns;
    size_t count;
};

/* Writes the title and the headings. `out` and `columns` must outlive the table. */
struct table table_begin(FILE *out, const char *title, const struct table_column *columns,
                         size_t count);

void table_row(const struct table *table, const struct table_cell *cells);

static inline struct table_cell table_word(const char *word)
{
    return (struct table_cell){.word = word};
}

static inline struct table_cell table_number(double number)
{
    return (struct table_cell){.number = number};
}

#endif
