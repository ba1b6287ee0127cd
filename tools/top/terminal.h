/*
 * Shows pages on the terminal and reads keys. Open it only if standard input and output are
 * terminals. terminal_close must always be called; it restores the previous contents. One thread.
 * CMake selects the implementation in tools/platform/.
 */
#ifndef SLUICE_TOOLS_TOP_TERMINAL_H
#define SLUICE_TOOLS_TOP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "tools/top/page.h"

/* Returns true if standard input and output are terminals. */
bool terminal_is_there(void);

/*
 * Opens the terminal. Returns 0, or -1 with `error` filled (EXIT_CODE_IO) if this kind of terminal
 * is not supported.
 */
int terminal_open(struct error *error);
void terminal_close(void);

void terminal_size(size_t *rows, size_t *columns);
void terminal_show(const struct page *page);

enum terminal_key {
    TERMINAL_NO_KEY, /* no key in time */
    TERMINAL_QUIT,   /* the key to quit, or the terminal was closed */
    TERMINAL_RESIZED,
    TERMINAL_VIEW, /* a key for view_press */
};

/*
 * Waits at most `timeout_ms` milliseconds for a key that has an effect. For TERMINAL_VIEW, sets
 * *key.
 */
enum terminal_key terminal_wait(int timeout_ms, enum view_key *key);

#endif
