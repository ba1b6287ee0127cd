/*
 * Writes the lines above the tables: the status, the totals, losses by reason, and the reasons of
 * the health report. For page.c.
 */
#ifndef SLUICE_TOOLS_TOP_PAGE_HEAD_H
#define SLUICE_TOOLS_TOP_PAGE_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/top/page.h"

/*
 * Adds these lines to a page of at most `rows` lines. A page with more rows gets more lines of
 * reasons. Returns false if out of memory.
 */
bool page_head_add(struct page *page, size_t rows, const struct model *model,
                   const struct rates *rates);

#endif
