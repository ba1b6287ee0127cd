/*
 * Polls a collector, keeps the last two models, and draws the page. Reconnects if the collector was
 * away. One thread.
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
    const char *given;                  /* "unix:PATH"; NULL: search for a collector */
    char address[CONTROL_ADDRESS_SIZE]; /* address of the last connection */
    struct connection *connection;      /* NULL: not connected */
    struct model now, before;
    bool has_now, has_before;
    struct error trouble; /* why there is no newer model */
    bool in_trouble;
};

/*
 * Requests a new model. Waits at most a second for each answer. Returns 0, or -1 with `trouble`
 * filled and the models unchanged.
 */
int watch_ask(struct watch *watch);

/* Draws the latest model with page_draw. The title shows `trouble`, if there is any. */
bool watch_draw(const struct watch *watch, size_t rows, size_t columns, struct view *view,
                struct page *page);

/* Closes the connection and frees the models. */
void watch_clear(struct watch *watch);

#endif
