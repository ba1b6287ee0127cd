#include "tools/bench/table.h"

#include <math.h>
#include <stdlib.h>

static void put_cell(FILE *out, const struct table_column *column, const struct table_cell *cell)
{
    if (cell->word != NULL)
        fprintf(out, "| %*s ", column->width, cell->word);
    else if (isnan(cell->number))
        fprintf(out, "| %*s ", column->width, "-");
    else
        fprintf(out, "| %*.*f ", column->width, column->decimals, cell->number);
}

/* Writes dashes across the column. A colon at the end of them aligns the numbers to the right. */
static void put_rule(FILE *out, const struct table_column *column)
{
    fputs("| ", out);
    for (int i = 1; i < abs(column->width); i++)
        putc('-', out);
    fputs(column->width < 0 ? "- " : ": ", out);
}

struct table table_begin(FILE *out, const char *title, const struct table_column *columns,
                         size_t count)
{
    fprintf(out, "\n%s\n\n", title);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "| %*s ", columns[i].width, columns[i].heading);
    fputs("|\n", out);
    for (size_t i = 0; i < count; i++)
        put_rule(out, &columns[i]);
    fputs("|\n", out);
    fflush(out);
    return (struct table){out, columns, count};
}

void table_row(const struct table *table, const struct table_cell *cells)
{
    for (size_t i = 0; i < table->count; i++)
        put_cell(table->out, &table->columns[i], &cells[i]);
    fputs("|\n", table->out);
    fflush(table->out);
}
