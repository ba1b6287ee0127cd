#include "tools/top/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/top/help.h"
#include "tools/top/page_head.h"
#include "tools/top/page_parts.h"

/* --- lines ------------------------------------------------------------------------------------ */

/*
 * Returns a copy of a line, without the characters after `columns` and without blanks at its end.
 * Replaces control characters, because senders choose some of the names.
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

bool page_add_text(struct page *page, enum page_manner manner, const char *text, size_t rows)
{
    char line[TABLE_LINE_SIZE];
    bool done = true;
    do {
        size_t size = strlen(text);
        if (page->rows + 1 < rows && size > page->columns) {
            for (size = page->columns; size != 0 && text[size] != ' ';)
                size--;
            size = size != 0 ? size : page->columns;
        }
        snprintf(line, sizeof line, "%.*s", (int)size, text);
        done = page_add_line(page, manner, line);
        text += size;
        text += strspn(text, " ");
    } while (done && *text != '\0' && page->rows < rows);
    return done;
}

void page_clear(struct page *page)
{
    for (size_t i = 0; i < page->rows; i++)
        free(page->lines[i].text);
    free(page->lines);
    *page = (struct page){0};
}

/* --- parts ------------------------------------------------------------------------------------ */

/* If the page has at least this number of rows, its last row shows the keys. */
#define ROWS_WITH_KEYS 8

static const char keys[] = "Tab part  Up Down PgUp PgDn  s sort  r reverse  z zoom  ? help  q quit";

/* The minimum number of lines of a part: a blank line, a heading and a row. */
#define LEAST_OF_PART 3

static size_t count_trouble(const struct table *part, size_t first, size_t count)
{
    size_t found = 0;
    for (size_t i = first; i < first + count; i++)
        found += part->rows[i].manner == TABLE_TROUBLE;
    return found;
}

/*
 * Returns the number of lines that show all rows of a part with trouble. If the part has other rows
 * too, one more line shows how many are hidden.
 */
static size_t lines_for_trouble(const struct table *part)
{
    size_t trouble = part->trouble != NULL ? count_trouble(part, 0, part->count) : 0;
    return trouble == 0 || trouble == part->count ? trouble : trouble + 1;
}

/*
 * Gives each part in turn one more line, until each has its `wanted` lines or no line is left. The
 * first line of a part costs LEAST_OF_PART lines. Returns the lines that are left.
 */
static size_t deal(size_t lines, const size_t *wanted, size_t *given)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < VIEW_PARTS; i++) {
            size_t cost = given[i] == 0 ? LEAST_OF_PART : 1;
            if (given[i] >= wanted[i] || lines < cost)
                continue;
            lines -= cost;
            given[i]++;
            more = true;
        }
    }
    return lines;
}

/*
 * Divides the lines among the parts. A zoomed part gets all lines. Otherwise the selected part
 * comes first, then all rows with trouble, then one row of each part, and then the other rows.
 */
static void share(const struct table *parts, size_t lines, const struct view *view,
                  bool interactive, size_t *given)
{
    size_t wanted[4][VIEW_PARTS] = {{0}};
    for (size_t i = 0; i < VIEW_PARTS; i++) {
        given[i] = 0;
        if (view->zoomed && i != view->selected)
            continue;
        wanted[0][i] = interactive && i == view->selected && parts[i].count != 0;
        wanted[1][i] = lines_for_trouble(&parts[i]);
        wanted[2][i] = parts[i].count != 0;
        wanted[3][i] = parts[i].count;
    }
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        lines = deal(lines, wanted[i], given);
}

static enum page_manner manner_of(const struct table_row *row)
{
    return row->manner == TABLE_TROUBLE ? PAGE_TROUBLE : PAGE_PLAIN;
}

/*
 * Adds the last line of a part of which some rows are hidden. It says which rows are visible, and
 * how many of the hidden ones have trouble.
 */
static bool add_cut(struct page *page, const struct table *part, const struct view_part *seen)
{
    char text[TABLE_LINE_SIZE];
    int size = seen->shown == 0 ? snprintf(text, sizeof text, "... %zu rows", seen->count)
                                : snprintf(text, sizeof text, "... rows %zu to %zu of %zu",
                                           seen->first + 1, seen->first + seen->shown, seen->count);
    size_t hidden =
        count_trouble(part, 0, part->count) - count_trouble(part, seen->first, seen->shown);
    if (part->trouble != NULL && hidden == 0)
        snprintf(text + size, sizeof text - (size_t)size, "; no other is %s", part->trouble);
    else if (part->trouble != NULL)
        snprintf(text + size, sizeof text - (size_t)size, "; %zu other%s %s", hidden,
                 hidden == 1 ? " is" : "s are", part->trouble);
    bool trouble = part->trouble != NULL && hidden != 0;
    return page_add_line(page, trouble ? PAGE_TROUBLE : PAGE_PLAIN, text);
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
    return done && (given == part->count || add_cut(page, part, seen));
}

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
    share(parts, rows, view, interactive, given);
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
    bool done = page_add_text(page, PAGE_HEADING, title, model == NULL ? rows : 1);
    if (done && view != NULL && view->help)
        done = help_add(page, rows);
    else if (done && model != NULL && rows > 1)
        done = page_head_add(page, rows, model, rates) && add_parts(page, rows, model, rates, view);
    if (!done)
        page_clear(page);
    return done;
}
