/*
 * The parts of the page: a heading and rows each, not yet cut to what a terminal holds. For page.c.
 */
#ifndef SLUICE_TOOLS_TOP_PAGE_PARTS_H
#define SLUICE_TOOLS_TOP_PAGE_PARTS_H

#include "tools/top/page.h"

/* Bytes of the longest row; what a terminal has more of stays empty. */
#define PAGE_LINE_SIZE 256

struct page_row {
    double weight; /* of rows that are sorted: the heaviest first */
    enum page_manner manner;
    char text[PAGE_LINE_SIZE];
};

struct page_part {
    char heading[PAGE_LINE_SIZE];
    struct page_row *rows; /* NULL where there are none */
    size_t count;
};

/* Listeners; sinks; deliveries; what was dropped, by reason; senders; who lost most. */
#define PAGE_PARTS 6

/* Fills all parts, for so many columns. Returns false where memory is short. */
bool page_parts_make(struct page_part parts[PAGE_PARTS], size_t columns, const struct model *model,
                     const struct rates *rates);
void page_parts_clear(struct page_part parts[PAGE_PARTS]);

#endif
