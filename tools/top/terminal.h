/*
 * The terminal: a screen that pages are shown on, and its keys.
 *
 * Open only where standard input and output are terminals. What stood there before comes back with
 * the close, which must come whatever happens. One thread. CMake picks the implementation under
 * tools/platform/.
 */
#ifndef SLUICE_TOOLS_TOP_TERMINAL_H
#define SLUICE_TOOLS_TOP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "tools/top/page.h"

/* Whether standard input and output are terminals. */
bool terminal_is_there(void);

/* Returns 0, or -1 with `error` filled (EXIT_CODE_IO) where this kind of terminal is not known. */
int terminal_open(struct error *error);
void terminal_close(void);

void terminal_size(size_t *rows, size_t *columns);
void terminal_show(const struct page *page);

enum terminal_key {
    TERMINAL_NO_KEY, /* the time is over */
    TERMINAL_QUIT,   /* or the terminal has gone */
    TERMINAL_RESIZED,
    TERMINAL_VIEW, /* a key that changes what is seen */
};

/*
 * Waits for a key that means something, for at most `timeout_ms` milliseconds. With TERMINAL_VIEW
 * *key is filled.
 */
enum terminal_key terminal_wait(int timeout_ms, enum view_key *key);

#endif
