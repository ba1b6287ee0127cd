#include "tools/top/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/top/page_parts.h"
#include "tools/top/quantity.h"

/* --- lines ------------------------------------------------------------------------------------ */

/* Cuts and cleans: what a sender calls itself must not steer a terminal. */
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

static bool add_line(struct page *page, enum page_manner manner, const char *text)
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

/* --- the head --------------------------------------------------------------------------------- */

static bool add_totals(struct page *page, const struct model *model, const struct rates *rates)
{
    char text[PAGE_LINE_SIZE];
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
    return add_line(page, PAGE_PLAIN, text);
}

/* --- parts ------------------------------------------------------------------------------------ */

/* How many lines each part gets of those there are: all get one more in turn, while they want. */
static void share(const struct page_part *parts, size_t rows, size_t *shown)
{
    for (size_t i = 0; i < PAGE_PARTS; i++)
        shown[i] = 0;
    for (bool given = true; given;) {
        given = false;
        for (size_t i = 0; i < PAGE_PARTS; i++) {
            /* Its first line comes with a blank one and a heading. */
            size_t cost = shown[i] == 0 ? 3 : 1;
            if (shown[i] == parts[i].count || rows < cost)
                continue;
            rows -= cost;
            shown[i]++;
            given = true;
        }
    }
}

/* The last line of a part that was cut says so. */
static bool add_part(struct page *page, const struct page_part *part, size_t shown)
{
    if (shown == 0)
        return true;
    bool done = add_line(page, PAGE_PLAIN, "") && add_line(page, PAGE_HEADING, part->heading);
    bool cut = shown < part->count;
    for (size_t i = 0; i < shown - cut && done; i++)
        done = add_line(page, part->rows[i].manner, part->rows[i].text);
    char more[64];
    snprintf(more, sizeof more, "... and %zu more", part->count - shown + 1);
    return done && (!cut || add_line(page, PAGE_PLAIN, more));
}

static bool add_parts(struct page *page, size_t rows, const struct model *model,
                      const struct rates *rates)
{
    struct page_part parts[PAGE_PARTS];
    size_t shown[PAGE_PARTS];
    bool done = page_parts_make(parts, page->columns, model, rates);
    if (done)
        share(parts, rows - page->rows, shown);
    for (size_t i = 0; i < PAGE_PARTS && done; i++)
        done = add_part(page, &parts[i], shown[i]);
    page_parts_clear(parts);
    return done;
}

bool page_draw(struct page *page, size_t rows, size_t columns, const char *title,
               const struct model *model, const struct rates *rates)
{
    *page = (struct page){.columns = columns};
    bool done = add_line(page, PAGE_HEADING, title);
    if (done && model != NULL && rows > 1)
        done = add_totals(page, model, rates) && add_parts(page, rows, model, rates);
    if (!done)
        page_clear(page);
    return done;
}
