/*
 * The user's choice of what to see: the part, its first row and its order.
 *
 * Keys change it; page_draw follows it and stores in it how many rows there were. Zero is the
 * initial view. One thread.
 */
#ifndef SLUICE_TOOLS_TOP_VIEW_H
#define SLUICE_TOOLS_TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/top/table.h"

/*
 * The parts of a page: listeners, connections, sinks, deliveries, drops by reason, senders, senders
 * with the most losses.
 */
#define VIEW_PARTS 7

enum view_key {
    VIEW_UP,
    VIEW_DOWN,
    VIEW_PAGE_UP,
    VIEW_PAGE_DOWN,
    VIEW_HOME,
    VIEW_END,
    VIEW_NEXT,
    VIEW_PREVIOUS,
    VIEW_SORT,
    VIEW_REVERSE,
    VIEW_ZOOM,
    VIEW_HELP,
    VIEW_LEAVE, /* leaves the help or the zoom */
};

struct view_part {
    struct table_order order;
    size_t first; /* the first visible row */
    /* Set by page_draw. */
    size_t count, shown; /* all rows, and visible rows */
    bool sortable[TABLE_COLUMNS];
};

struct view {
    size_t selected; /* the part that keys move */
    bool zoomed;     /* only the selected part is shown */
    bool help;       /* the help is shown instead of the page */
    struct view_part parts[VIEW_PARTS];
};

void view_press(struct view *view, enum view_key key);

/* If the selected part is empty selects another one, and limits `first` to the existing rows. */
void view_clamp(struct view *view);

#endif
