/*
 * The page as text: lines of so many columns, with what is on them, for a terminal or for a pipe.
 *
 * Whatever names hold, a line is printable ASCII. A page owns its lines. One thread.
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
    char *text; /* at most `columns` characters and a NUL, no blanks at its end */
    enum page_manner manner;
};

struct page {
    size_t columns;
    size_t rows; /* lines there are */
    struct page_line *lines;
};

/* Lines of a page that is not to be cut. */
#define PAGE_ALL_ROWS ((size_t)1 << 20)

/*
 * Draws a page of at most `rows` lines and `columns` columns (at least 1; from 80 on nothing but
 * long names is cut). Where it cannot hold all, each part is cut and says which of its rows stand
 * there. `title` stands on the first line; NULL for `model`: nothing but that, on as
 * many lines as it takes. `view` says
 * what is to be seen, and the last line by which keys that changes; what there was to see is noted
 * in it. NULL: all there is, without keys. Returns false where memory is short.
 */
bool page_draw(struct page *page, size_t rows, size_t columns, const char *title,
               const struct model *model, const struct rates *rates, struct view *view);

/* Adds a line, cut to the page's columns. Returns false where memory is short. */
bool page_add_line(struct page *page, enum page_manner manner, const char *text);

/* Frees what it holds and leaves it all zero; allowed on one that is. */
void page_clear(struct page *page);

#endif
