/*
 * Draws the page as lines of text, for a terminal or a pipe. Lines are printable ASCII, even if
 * names contain other characters. A page owns its lines. One thread.
 */
#ifndef SLUICE_TOOLS_TOP_PAGE_H
#define SLUICE_TOOLS_TOP_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/top/model.h"
#include "tools/top/rates.h"
#include "tools/top/view.h"

enum page_manner { PAGE_PLAIN, PAGE_HEADING, PAGE_SELECTED, PAGE_TROUBLE };

struct page_line {
    char *text; /* at most `columns` characters and a NUL, without blanks at its end */
    enum page_manner manner;
};

struct page {
    size_t columns;
    size_t rows; /* number of lines */
    struct page_line *lines;
};

/* A number of rows that no page exceeds. */
#define PAGE_ALL_ROWS ((size_t)1 << 20)

/*
 * Draws a page of at most `rows` lines and `columns` columns (at least 1; with 80 columns only long
 * names are cut off). If there are too few rows, parts are cut off and show which of their rows are
 * visible.
 *
 * `title` is the first line. If `model` is NULL, the page is only the title, on the lines that it
 * needs. `view` selects what is shown; the numbers of rows are stored in it, and the page's last
 * line shows the keys. If `view` is NULL, the page shows everything, without keys. Returns false if
 * out of memory.
 */
bool page_draw(struct page *page, size_t rows, size_t columns, const char *title,
               const struct model *model, const struct rates *rates, struct view *view);

/* Adds a line, cut off after the page's columns. Returns false if out of memory. */
bool page_add_line(struct page *page, enum page_manner manner, const char *text);

/*
 * Adds a text, broken into lines at blanks, until the page has `rows` lines. Adds at least one
 * line; the last one is cut off. Returns false if out of memory.
 */
bool page_add_text(struct page *page, enum page_manner manner, const char *text, size_t rows);

/* Frees the page's memory and zeroes the page. A zeroed page is allowed. */
void page_clear(struct page *page);

#endif
