#include "tools/top/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/top/help.h"
#include "tools/top/page_parts.h"
#include "tools/top/quantity.h"

/* --- lines ------------------------------------------------------------------------------------ */

/*
 * Copies a line, cut to `columns` and without blanks at its end. Replaces control characters, since
 * senders choose some of the names.
 */
static char *copy_line(const char *text, size_t columns)
{
    size_t size = strlen(text);
    if (size > columns)
        size = columns;
    while (size != 0 && text[size - 1] == ' ')
        size--;
    char *copy = malloc(size + 1);
    if (copy == NULL)
        return NULL;
    for (size_t i = 0; i < size; i++)
        copy[i] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
    copy[size] = '\0';
    return copy;
}

bool page_add_line(struct page *page, enum page_manner manner, const char *text)
{
    struct page_line *grown = realloc(page->lines, (page->rows + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    page->lines = grown;
    grown[page->rows] = (struct page_line){copy_line(text, page->columns), manner};
    return grown[page->rows++].text != NULL;
}

void page_clear(struct page *page)
{
    for (size_t i = 0; i < page->rows; i++)
        free(page->lines[i].text);
    free(page->lines);
    *page = (struct page){0};
}

/* --- the title -------------------------------------------------------------------------------- */

/* Adds the title, broken at blanks into at most `rows` lines. */
static bool add_title(struct page *page, const char *title, size_t rows)
{
    char line[TABLE_LINE_SIZE];
    bool done = true;
    do {
        size_t size = strlen(title);
        if (page->rows + 1 < rows && size > page->columns) {
            for (size = page->columns; size != 0 && title[size] != ' ';)
                size--;
            size = size != 0 ? size : page->columns;
        }
        snprintf(line, sizeof line, "%.*s", (int)size, title);
        done = page_add_line(page, PAGE_HEADING, line);
        title += size;
        title += strspn(title, " ");
    } while (done && *title != '\0' && page->rows < rows);
    return done;
}

/* --- the head --------------------------------------------------------------------------------- */

static bool add_totals(struct page *page, const struct model *model, const struct rates *rates)
{
    char text[TABLE_LINE_SIZE];
    char received[QUANTITY_SIZE], bytes[QUANTITY_SIZE], written[QUANTITY_SIZE], up[QUANTITY_SIZE];
    double sums[3] = {0};
    for (size_t i = 0; i < model->listener_count; i++) {
        sums[0] += rates->listeners[i].received;
        sums[1] += rates->listeners[i].bytes;
    }
    for (size_t i = 0; i < model->sink_count; i++)
        sums[2] += rates->sinks[i].written;
    quantity_write(sums[0], received);
    quantity_write(sums[1], bytes);
    quantity_write(sums[2], written);
    quantity_write_time(model->uptime, up);
    snprintf(text, sizeof text, "received %s/s, %sB/s; records written %s/s; up %s", received,
             bytes, written, up);
    return page_add_line(page, PAGE_PLAIN, text);
}

/* --- parts ------------------------------------------------------------------------------------ */

/* A page with at least this number of rows lists the keys in its last row. */
#define ROWS_WITH_KEYS 8

static const char keys[] = "Tab part  Up Down PgUp PgDn  s sort  r reverse  z zoom  ? help  q quit";

/* The fewest lines of a part: a blank line, a heading and a row. */
#define LEAST_OF_PART 3

/*
 * Divides the lines among the parts. In turn, each part gets one more row, until it has all of its
 * rows. A zoomed part gets all lines.
 */
static void share(const struct table *parts, size_t rows, const struct view *view, size_t *given)
{
    for (size_t i = 0; i < VIEW_PARTS; i++)
        given[i] = 0;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < VIEW_PARTS; i++) {
            size_t cost = given[i] == 0 ? LEAST_OF_PART : 1;
            if (given[i] == parts[i].count || rows < cost || (view->zoomed && i != view->selected))
                continue;
            rows -= cost;
            given[i]++;
            more = true;
        }
    }
}

static enum page_manner manner_of(const struct table_row *row)
{
    return row->manner == TABLE_TROUBLE ? PAGE_TROUBLE : PAGE_PLAIN;
}

/* Adds the last line of a part that was cut. It says which rows of the part are shown. */
static bool add_cut(struct page *page, const struct view_part *seen)
{
    char text[96];
    if (seen->shown == 0)
        snprintf(text, sizeof text, "... %zu rows", seen->count);
    else
        snprintf(text, sizeof text, "... rows %zu to %zu of %zu", seen->first + 1,
                 seen->first + seen->shown, seen->count);
    return page_add_line(page, PAGE_PLAIN, text);
}

static bool add_part(struct page *page, struct table *part, size_t given, bool selected,
                     struct view_part *seen)
{
    char line[TABLE_LINE_SIZE];
    if (given == 0)
        return true;
    table_write_heading(part, seen->order, line);
    bool done = page_add_line(page, PAGE_PLAIN, "") &&
                page_add_line(page, selected ? PAGE_SELECTED : PAGE_HEADING, line);
    for (size_t i = 0; i < seen->shown && done; i++) {
        table_write_row(part, seen->first + i, line);
        done = page_add_line(page, manner_of(&part->rows[seen->first + i]), line);
    }
    return done && (given == part->count || add_cut(page, seen));
}

/* Stores the number of a part's rows, and of its visible rows, in the view for view_clamp. */
static void page_note(const struct table *part, size_t given, struct view_part *seen)
{
    seen->count = part->count;
    seen->shown = given < part->count && given != 0 ? given - 1 : given;
    memcpy(seen->sortable, part->shown, sizeof seen->sortable);
}

static bool add_tables(struct page *page, size_t rows, struct table *parts, struct view *view,
                       bool interactive)
{
    size_t given[VIEW_PARTS];
    for (size_t i = 0; i < VIEW_PARTS; i++) {
        table_fit(&parts[i], page->columns);
        table_sort(&parts[i], view->parts[i].order);
        view->parts[i].count = parts[i].count;
    }
    view_clamp(view);
    share(parts, rows, view, given);
    for (size_t i = 0; i < VIEW_PARTS; i++)
        page_note(&parts[i], given[i], &view->parts[i]);
    view_clamp(view);
    for (size_t i = 0; i < VIEW_PARTS; i++)
        if (!add_part(page, &parts[i], given[i], interactive && i == view->selected,
                      &view->parts[i]))
            return false;
    return true;
}

static bool add_parts(struct page *page, size_t rows, const struct model *model,
                      const struct rates *rates, struct view *view)
{
    struct table parts[VIEW_PARTS];
    struct view all = {.selected = 0};
    bool with_keys = view != NULL && rows >= ROWS_WITH_KEYS;
    bool done = page_parts_make(parts, model, rates) &&
                add_tables(page, rows - page->rows - with_keys, parts, view != NULL ? view : &all,
                           with_keys);
    page_parts_clear(parts);
    while (done && with_keys && page->rows < rows - 1)
        done = page_add_line(page, PAGE_PLAIN, "");
    return done && (!with_keys || page_add_line(page, PAGE_HEADING, keys));
}

bool page_draw(struct page *page, size_t rows, size_t columns, const char *title,
               const struct model *model, const struct rates *rates, struct view *view)
{
    *page = (struct page){.columns = columns};
    bool done = add_title(page, title, model == NULL ? rows : 1);
    if (done && view != NULL && view->help)
        done = help_add(page, rows);
    else if (done && model != NULL && rows > 1)
        done = add_totals(page, model, rates) && add_parts(page, rows, model, rates, view);
    if (!done)
        page_clear(page);
    return done;
}
