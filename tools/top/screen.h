/*
 * A page as text with the control sequences of ECMA-48 that terminals and Windows' consoles share.
 *
 * Pure functions. Any thread.
 */
#ifndef SLUICE_TOOLS_TOP_SCREEN_H
#define SLUICE_TOOLS_TOP_SCREEN_H

#include <stddef.h>

#include "tools/top/page.h"

/* Begins a screen without a cursor, and ends it: the former contents return (DEC's modes 1049, 25).
 */
#define SCREEN_BEGIN "\x1b[?1049h\x1b[?25l"
#define SCREEN_END   "\x1b[?25h\x1b[?1049l"

/*
 * Returns the text that shows the page on a screen of `rows` and `columns`, both at least 1, with
 * *size bytes, or NULL if memory is short. Lines and rows that do not fit are cut, and the rest of
 * the screen is erased. Headings and selected lines are as wide as the screen. The caller frees the
 * text.
 */
char *screen_text(const struct page *page, size_t rows, size_t columns, size_t *size);

#endif
