/*
 * Asking a collector again and again: the last two models of it, and how to draw them.
 *
 * A collector that goes away is connected to again when it is back. One thread.
 */
#ifndef SLUICE_TOOLS_TOP_WATCH_H
#define SLUICE_TOOLS_TOP_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "tools/top/addresses.h"
#include "tools/top/connection.h"
#include "tools/top/model.h"
#include "tools/top/page.h"

struct watch {
    const char *given;                  /* "unix:PATH"; NULL: it is looked for */
    char address[CONTROL_ADDRESS_SIZE]; /* where somebody answered last */
    struct connection *connection;      /* NULL: there is none */
    struct model now, before;
    bool has_now, has_before;
    struct error trouble; /* why there is no newer model */
    bool in_trouble;
};

/*
 * Asks, and waits for the answer for a second at most. Returns 0, or -1 with `trouble` filled;
 * what was known before is then still there.
 */
int watch_ask(struct watch *watch);

/*
 * Draws what is known, and what the trouble is, as page_draw does. Returns false where memory is
 * short.
 */
bool watch_draw(const struct watch *watch, size_t rows, size_t columns, struct view *view,
                struct page *page);

/* Frees what it holds. */
void watch_clear(struct watch *watch);

#endif
