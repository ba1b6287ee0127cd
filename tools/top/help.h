/* What the page's keys and columns are, as a page. */
#ifndef SLUICE_TOOLS_TOP_HELP_H
#define SLUICE_TOOLS_TOP_HELP_H

#include "tools/top/page.h"

/* Adds it to a page, as far as `rows` lines hold it. Returns false where memory is short. */
bool help_add(struct page *page, size_t rows);

#endif
