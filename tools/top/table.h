/*
 * Makes a table of the page: sorts its rows, each with a name and numbers, and selects the columns
 * that fit.
 *
 * Columns of rank 0 are always shown. Others are shown if there is room, lower ranks first. The
 * remaining width goes to the names, then to the other columns. Rows point to texts of the caller,
 * which must outlive the table. One thread.
 */
#ifndef SLUICE_TOOLS_TOP_TABLE_H
#define SLUICE_TOOLS_TOP_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* The maximum number of columns, without the name. */
#define TABLE_COLUMNS 16

/* The maximum number of bytes of a line, with its NUL. */
#define TABLE_LINE_SIZE 512

enum table_manner { TABLE_PLAIN, TABLE_TROUBLE };

struct table_column {
    const char *heading; /* at most 8 characters */
    unsigned rank;
};

enum table_unit { TABLE_NUMBER, TABLE_SECONDS, TABLE_PERCENT };

struct table_cell {
    double value;
    const char *text; /* shown instead of `value`, or NULL; rows are sorted by `value` */
    enum table_unit unit;
};

struct table_row {
    const char *name;
    struct table_cell cells[TABLE_COLUMNS]; /* in the order of the table's columns */
    const char *last[2];                    /* texts after the numbers; may be NULL */
    enum table_manner manner;
    double urgency; /* rows with a higher urgency are first in the initial order */
    size_t made;    /* the row's number, in the order in which the rows were made */
};

/*
 * The order of the rows. `by` is TABLE_AS_MADE, or the number of a column from 1. The highest value
 * comes first, unless `reversed` is set.
 */
#define TABLE_AS_MADE ((size_t)0)

struct table_order {
    size_t by;
    bool reversed;
};

struct table {
    const char *name, *last; /* headings of the names, and of the texts after the numbers */
    struct table_column columns[TABLE_COLUMNS];
    size_t column_count;
    size_t last_least; /* minimum width of the texts after the numbers, in screen columns */
    struct table_row *rows;
    size_t count;
    struct table_order made; /* the order for TABLE_AS_MADE; zero: by urgency, then as made */
    const char *trouble;     /* word for rows with TABLE_TROUBLE, such as "losing"; or NULL */
    /* These are set by table_fit. */
    bool shown[TABLE_COLUMNS];
    size_t name_width, column_width;
};

void table_add_column(struct table *table, const char *heading, unsigned rank);

/* Selects columns and widths for a screen of `screen` columns. */
void table_fit(struct table *table, size_t screen);

/*
 * Sorts the rows by `order`, or by the table's `made` if order.by is TABLE_AS_MADE. Rows with equal
 * values are sorted by name, rows with equal urgency stay as made.
 */
void table_sort(struct table *table, struct table_order order);

/*
 * Writes the headings. The heading of the column by which the rows are sorted begins with '-'
 * (highest value first) or '+'.
 */
void table_write_heading(const struct table *table, struct table_order order,
                         char line[TABLE_LINE_SIZE]);
void table_write_row(const struct table *table, size_t row, char line[TABLE_LINE_SIZE]);

#endif
