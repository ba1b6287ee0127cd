/*
 * A table of the page: a name and numbers in each row, as many columns as there is room for, in an
 * order.
 *
 * Columns have ranks: those of rank 0 are always shown, the others where there is room, those of
 * the lowest rank first. Whatever is wider yet widens the names and then the columns. What rows
 * point to is the caller's and outlives the table. One thread.
 */
#ifndef SLUICE_TOOLS_TOP_TABLE_H
#define SLUICE_TOOLS_TOP_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Columns beside the name. */
#define TABLE_COLUMNS 16

/* Bytes of the longest line, its NUL included; what a terminal has more of stays empty. */
#define TABLE_LINE_SIZE 512

enum table_manner { TABLE_PLAIN, TABLE_TROUBLE };

struct table_column {
    const char *heading; /* of at most 8 characters */
    unsigned rank;
};

struct table_cell {
    double value;
    const char *text; /* instead of the value, which it is sorted by; NULL: the value is written */
    bool is_time;     /* the value is seconds */
};

struct table_row {
    const char *name;
    struct table_cell cells[TABLE_COLUMNS]; /* as the table's columns */
    const char *last[2];                    /* what stands after the numbers; NULL: nothing */
    enum table_manner manner;
};

/* By the rows as they were made; by the column of this place, counted from 1, highest first. */
#define TABLE_AS_MADE ((size_t)0)

struct table_order {
    size_t by;
    bool reversed;
};

struct table {
    const char *name, *last; /* headings */
    struct table_column columns[TABLE_COLUMNS];
    size_t column_count;
    size_t last_least; /* columns of the screen that what stands after the numbers has at least */
    struct table_row *rows;
    size_t count;
    struct table_order made; /* how the rows come where no other order is asked for */
    /* Of table_fit. */
    bool shown[TABLE_COLUMNS];
    size_t name_width, column_width;
};

/* Adds a column; `rank` as above. */
void table_add_column(struct table *table, const char *heading, unsigned rank);

/* Chooses columns and widths for a screen of so many columns. */
void table_fit(struct table *table, size_t screen);

/*
 * Sorts: by `order`, or as the rows are to come where that is by TABLE_AS_MADE. Rows of one value
 * stand by their names.
 */
void table_sort(struct table *table, struct table_order order);

/* Writes the line of the headings; the column that sorts has a '-' (highest first) or '+' before.
 */
void table_write_heading(const struct table *table, struct table_order order,
                         char line[TABLE_LINE_SIZE]);
void table_write_row(const struct table *table, size_t row, char line[TABLE_LINE_SIZE]);

#endif
