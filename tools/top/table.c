#include "tools/top/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "tools/top/quantity.h"

/*
 * Widths of a number with its blank, and of a name. Six numbers leave 26 of 80 columns for a name.
 */
#define NUMBER_LEAST 9
#define NUMBER_MOST  12
#define NAME_LEAST   12
#define NAME_USUAL   26
#define NAME_MOST    128

void table_add_column(struct table *table, const char *heading, unsigned rank)
{
    RULE(table->column_count < TABLE_COLUMNS, "a table has room for its columns");
    table->columns[table->column_count++] = (struct table_column){heading, rank};
}

/* --- widths ----------------------------------------------------------------------------------- */

static size_t longest_name(const struct table *table)
{
    size_t longest = NAME_USUAL;
    for (size_t i = 0; i < table->count; i++) {
        size_t length = strlen(table->rows[i].name) + 1;
        longest = length > longest ? length : longest;
    }
    return longest < NAME_MOST ? longest : NAME_MOST;
}

static size_t longest_last(const struct table *table)
{
    size_t longest = table->last_least;
    for (size_t i = 0; i < table->count; i++) {
        size_t length = 0;
        for (size_t k = 0; k < 2; k++)
            if (table->rows[i].last[k] != NULL)
                length += 2 + strlen(table->rows[i].last[k]);
        longest = length > longest ? length : longest;
    }
    return longest < NAME_MOST ? longest : NAME_MOST;
}

static unsigned highest_rank(const struct table *table)
{
    unsigned highest = 0;
    for (size_t i = 0; i < table->column_count; i++)
        highest = table->columns[i].rank > highest ? table->columns[i].rank : highest;
    return highest;
}

/*
 * Shows the columns of one rank, while at least `name` screen columns are left for the name.
 * Returns the number of columns shown.
 */
static size_t show_rank(struct table *table, unsigned rank, size_t screen, size_t used, size_t name)
{
    size_t shown = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].rank != rank)
            continue;
        table->shown[i] = rank == 0 || screen >= used + (shown + 1) * NUMBER_LEAST + name;
        shown += table->shown[i];
    }
    return shown;
}

void table_fit(struct table *table, size_t screen)
{
    size_t names = longest_name(table);
    size_t shown = show_rank(table, 0, screen, 0, 0);
    size_t last = table->last_least;
    /* Columns of rank 1 may make the names shorter. Those of higher ranks may not. */
    shown += show_rank(table, 1, screen, shown * NUMBER_LEAST + last, NAME_LEAST);
    for (unsigned rank = 2; rank <= highest_rank(table); rank++)
        shown += show_rank(table, rank, screen, shown * NUMBER_LEAST + last, names);
    size_t used = shown * NUMBER_LEAST + last;
    size_t spare = screen > used + names ? screen - used - names : 0;
    size_t lacking = longest_last(table) - last;
    spare -= lacking < spare ? lacking : spare;
    last += lacking < spare ? lacking : spare;
    size_t widened = shown != 0 ? spare / shown : 0;
    table->column_width = NUMBER_LEAST + widened;
    if (table->column_width > NUMBER_MOST)
        table->column_width = NUMBER_MOST;
    used = shown * table->column_width + last;
    table->name_width = screen < used + NAME_LEAST ? NAME_LEAST : screen - used;
    if (table->name_width > NAME_MOST)
        table->name_width = NAME_MOST;
}

/* --- order ------------------------------------------------------------------------------------ */

static struct table_order order_of(const struct table *table, struct table_order asked)
{
    if (asked.by != TABLE_AS_MADE && asked.by <= table->column_count)
        return asked;
    struct table_order order = table->made;
    order.reversed ^= asked.reversed;
    return order;
}

/* The order for compare_rows, because qsort has no parameter for it. Only one thread sorts. */
static struct table_order sorting;

static int compare_names(const struct table_row *a, const struct table_row *b)
{
    int result = strcmp(a->name, b->name);
    for (size_t i = 0; i < 2 && result == 0; i++)
        result = strcmp(a->last[i] != NULL ? a->last[i] : "", b->last[i] != NULL ? b->last[i] : "");
    return result;
}

static int compare_rows(const void *left, const void *right)
{
    const struct table_row *a = left;
    const struct table_row *b = right;
    double x = a->cells[sorting.by - 1].value;
    double y = b->cells[sorting.by - 1].value;
    if (x == y)
        return compare_names(a, b);
    return (x < y) == sorting.reversed ? -1 : 1;
}

static int compare_urgency(const void *left, const void *right)
{
    const struct table_row *a = left;
    const struct table_row *b = right;
    if (a->urgency != b->urgency)
        return a->urgency < b->urgency ? 1 : -1;
    return a->made < b->made ? -1 : 1;
}

static void turn_round(struct table *table)
{
    for (size_t i = 0; i < table->count / 2; i++) {
        struct table_row row = table->rows[i];
        table->rows[i] = table->rows[table->count - 1 - i];
        table->rows[table->count - 1 - i] = row;
    }
}

void table_sort(struct table *table, struct table_order order)
{
    sorting = order_of(table, order);
    qsort(table->rows, table->count, sizeof *table->rows,
          sorting.by != TABLE_AS_MADE ? compare_rows : compare_urgency);
    if (sorting.by == TABLE_AS_MADE && sorting.reversed)
        turn_round(table);
}

/* --- lines ------------------------------------------------------------------------------------ */

struct writer {
    char *text;
    size_t used;
};

static void table_put(struct writer *writer, const char *text, size_t width, bool to_the_right)
{
    size_t room = TABLE_LINE_SIZE - writer->used;
    int printed = snprintf(writer->text + writer->used, room, to_the_right ? "%*.*s" : "%-*.*s",
                           (int)width, (int)width, text);
    if (printed > 0)
        writer->used += (size_t)printed < room ? (size_t)printed : room - 1;
}

static void table_put_name(struct writer *writer, const char *name, size_t width)
{
    char cut[NAME_MOST + 1];
    snprintf(cut, width + 1, "%s", name);
    if (strlen(name) > width)
        cut[width - 1] = '~';
    table_put(writer, cut, width, false);
}

static void put_last(struct writer *writer, const char *text)
{
    table_put(writer, "", 2, false);
    table_put(writer, text, strlen(text), false);
}

void table_write_heading(const struct table *table, struct table_order order,
                         char line[TABLE_LINE_SIZE])
{
    struct writer writer = {.text = line};
    struct table_order sorted = order_of(table, order);
    table_put_name(&writer, table->name, table->name_width);
    for (size_t i = 0; i < table->column_count; i++) {
        char heading[NUMBER_MOST + 1];
        if (!table->shown[i])
            continue;
        snprintf(heading, sizeof heading, "%s%s",
                 sorted.by != i + 1 ? ""
                 : sorted.reversed  ? "+"
                                    : "-",
                 table->columns[i].heading);
        table_put(&writer, heading, table->column_width, true);
    }
    put_last(&writer, table->last != NULL ? table->last : "");
}

static void write_value(const struct table_cell *cell, char text[QUANTITY_SIZE])
{
    if (cell->unit == TABLE_SECONDS)
        quantity_write_time(cell->value, text);
    else if (cell->unit == TABLE_PERCENT)
        snprintf(text, QUANTITY_SIZE, "%.0f%%", cell->value);
    else
        quantity_write(cell->value, text);
}

void table_write_row(const struct table *table, size_t row, char line[TABLE_LINE_SIZE])
{
    const struct table_row *from = &table->rows[row];
    struct writer writer = {.text = line};
    table_put_name(&writer, from->name, table->name_width);
    for (size_t i = 0; i < table->column_count; i++) {
        char text[QUANTITY_SIZE];
        write_value(&from->cells[i], text);
        if (table->shown[i])
            table_put(&writer, from->cells[i].text != NULL ? from->cells[i].text : text,
                      table->column_width, true);
    }
    for (size_t i = 0; i < 2 && from->last[i] != NULL; i++)
        put_last(&writer, from->last[i]);
}
