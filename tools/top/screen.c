#include "tools/top/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"

/*
 * The maximum number of bytes of a line's control sequences, which set its position and its style.
 */
#define SEQUENCES 64

static const char *const manners[] = {
    [PAGE_PLAIN] = "",
    [PAGE_HEADING] = "\x1b[7m",
    [PAGE_SELECTED] = "\x1b[1;7m",
    [PAGE_TROUBLE] = "\x1b[1m",
};

static size_t screen_add(char *at, const char *text)
{
    size_t length = strlen(text);
    memcpy(at, text, length);
    return length;
}

/*
 * Writes a line at its position, and erases the rest of the row. A line as wide as the screen
 * erases nothing, because the cursor may still be on its last character.
 */
static size_t screen_line(char *at, const struct page_line *line, size_t row, size_t columns)
{
    bool is_wide = line->manner == PAGE_HEADING || line->manner == PAGE_SELECTED;
    size_t length = strlen(line->text);
    size_t used = (size_t)snprintf(at, SEQUENCES, "\x1b[%zu;1H", row);
    if (length > columns)
        length = columns;
    used += screen_add(at + used, manners[line->manner]);
    memcpy(at + used, line->text, length);
    used += length;
    if (is_wide) {
        memset(at + used, ' ', columns - length);
        used += columns - length;
        length = columns;
    }
    if (line->manner != PAGE_PLAIN)
        used += screen_add(at + used, "\x1b[m");
    if (length < columns)
        used += screen_add(at + used, "\x1b[K");
    return used;
}

char *screen_text(const struct page *page, size_t rows, size_t columns, size_t *size)
{
    size_t count = page->rows < rows ? page->rows : rows;
    size_t most = (count + 1) * (columns + SEQUENCES);
    char *text = malloc(most);
    if (text == NULL)
        return NULL;
    size_t used = screen_add(text, "\x1b[m");
    for (size_t i = 0; i < count; i++)
        used += screen_line(text + used, &page->lines[i], i + 1, columns);
    if (count < rows)
        used += (size_t)snprintf(text + used, SEQUENCES, "\x1b[%zu;1H\x1b[J", count + 1);
    RULE(used <= most, "the screen fits the memory measured for it");
    *size = used;
    return text;
}
