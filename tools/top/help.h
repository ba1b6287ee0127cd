/* Writes the help page about keys and columns. */
#ifndef SLUICE_TOOLS_TOP_HELP_H
#define SLUICE_TOOLS_TOP_HELP_H

#include "tools/top/page.h"

/* Adds the help to a page of at most `rows` lines. Returns false if out of memory. */
bool help_add(struct page *page, size_t rows);

#endif
