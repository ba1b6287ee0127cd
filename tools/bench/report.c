#include "tools/bench/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/log/progress_line.h"
#include "collector/text/json_writer.h"

#define DOCUMENT_SIZE ((size_t)1024 * 1024)
#define NOTES_SIZE    ((size_t)64 * 1024)

bool report_begin(struct report *report, FILE *out, bool json)
{
    *report = (struct report){
        .out = out,
        .json = json,
        .first = true,
        .document = {.data = malloc(DOCUMENT_SIZE), .capacity = DOCUMENT_SIZE},
        .notes = {.data = malloc(NOTES_SIZE), .capacity = NOTES_SIZE},
    };
    if (report->document.data == NULL || report->notes.data == NULL) {
        free(report->document.data);
        free(report->notes.data);
        return false;
    }
    json_object_begin(&report->document);
    return true;
}

static void put_key(struct report *report, const char *key)
{
    json_key(&report->document, key, strlen(key));
}

/* Each piece of text is one line apart from the one before. */
static void begin_piece(struct report *report)
{
    progress_line_make_room();
    if (!report->json && !report->first)
        putc('\n', report->out);
    report->first = false;
}

static void put_number(struct output *out, double number)
{
    if (isnan(number))
        json_null(out);
    else if (fabs(number) < 1e15 && number == floor(number))
        json_int64(out, (int64_t)number);
    else
        json_double(out, number);
}

void report_facts_begin(struct report *report, const char *key)
{
    begin_piece(report);
    put_key(report, key);
    json_object_begin(&report->document);
}

void report_fact_text(struct report *report, const char *key, const char *label, const char *text)
{
    put_key(report, key);
    json_string(&report->document, text, strlen(text));
    if (!report->json)
        fprintf(report->out, "%-16s %s\n", label, text);
}

void report_fact_number(struct report *report, const char *key, const char *label, double number,
                        const char *unit)
{
    put_key(report, key);
    put_number(&report->document, number);
    if (!report->json)
        fprintf(report->out, "%-16s %.15g%s%s\n", label, number, unit[0] != '\0' ? " " : "", unit);
}

void report_facts_end(struct report *report)
{
    json_object_end(&report->document);
}

void report_table_begin(struct report *report, const char *key, const char *title,
                        const struct report_column *columns, size_t count)
{
    begin_piece(report);
    put_key(report, key);
    json_array_begin(&report->document);
    report->columns = columns;
    report->column_count = count;
    if (report->json)
        return;
    if (title != NULL)
        fprintf(report->out, "%s\n", title);
    for (size_t i = 0; i < count; i++)
        fprintf(report->out, "%s%*s", i == 0 ? "" : " ", columns[i].width, columns[i].heading);
    putc('\n', report->out);
}

static void print_cell(FILE *out, const struct report_column *column,
                       const struct report_cell *cell)
{
    if (cell->text != NULL)
        fprintf(out, "%*s", column->width, cell->text);
    else if (isnan(cell->number))
        fprintf(out, "%*s", column->width, "-");
    else
        fprintf(out, "%*.*f", column->width, column->decimals, cell->number);
}

void report_row(struct report *report, const struct report_cell *cells)
{
    json_object_begin(&report->document);
    for (size_t i = 0; i < report->column_count; i++) {
        put_key(report, report->columns[i].key);
        if (cells[i].text != NULL)
            json_string(&report->document, cells[i].text, strlen(cells[i].text));
        else
            put_number(&report->document, cells[i].number);
    }
    json_object_end(&report->document);
    if (report->json)
        return;
    progress_line_make_room();
    for (size_t i = 0; i < report->column_count; i++) {
        if (i != 0)
            putc(' ', report->out);
        print_cell(report->out, &report->columns[i], &cells[i]);
    }
    putc('\n', report->out);
    fflush(report->out);
}

void report_table_end(struct report *report)
{
    json_array_end(&report->document);
    report->columns = NULL;
    report->column_count = 0;
}

void report_note(struct report *report, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_string(&report->notes, text, strlen(text));
    progress_line_make_room();
    if (!report->json)
        fprintf(report->out, "%s\n", text);
}

bool report_end(struct report *report, bool whole)
{
    struct output *out = &report->document;
    put_key(report, "notes");
    json_array_begin(out);
    output_bytes(out, report->notes.data, report->notes.used);
    json_array_end(out);
    json_object_end(out);
    output_char(out, '\n');
    bool fits = !out->overflow && !report->notes.overflow;
    if (report->json && whole && fits)
        fwrite(out->data, 1, out->used, report->out);
    free(report->document.data);
    free(report->notes.data);
    return fits;
}
