/*
 * Writes a page as text with control sequences of ECMA-48 that both terminals and Windows' consoles
 * support. Pure functions. Any thread.
 */
#ifndef SLUICE_TOOLS_TOP_SCREEN_H
#define SLUICE_TOOLS_TOP_SCREEN_H

#include <stddef.h>

#include "tools/top/page.h"

/*
 * SCREEN_BEGIN begins a screen without a cursor. SCREEN_END restores the earlier contents and the
 * cursor (DEC's modes 1049 and 25).
 */
#define SCREEN_BEGIN "\x1b[?1049h\x1b[?25l"
#define SCREEN_END   "\x1b[?25h\x1b[?1049l"

/*
 * Returns the text that shows the page on a screen of `rows` and `columns`, both at least 1, with
 * *size bytes; the caller frees it. Returns NULL if out of memory. Lines and rows that do not fit
 * are cut off, and the rest of the screen is erased. Headings and selected lines are as wide as the
 * screen.
 */
char *screen_text(const struct page *page, size_t rows, size_t columns, size_t *size);

#endif
