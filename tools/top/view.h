/*
 * The user's choice of what the page shows: the part, and each part's first row and order.
 *
 * Keys change the view. page_draw draws what the view selects, and stores the numbers of rows in
 * it. A zeroed view is the initial view. One thread.
 */
#ifndef SLUICE_TOOLS_TOP_VIEW_H
#define SLUICE_TOOLS_TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/top/table.h"

/*
 * The number of parts of a page. Their order is: listeners, connections, sinks, deliveries, drops
 * by reason, senders, senders with the most losses, what makes series grow.
 */
#define VIEW_PARTS 8

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
    size_t count, shown; /* number of all rows, and of visible rows */
    bool sortable[TABLE_COLUMNS];
};

struct view {
    size_t selected; /* index of the part that keys move */
    bool zoomed;     /* only the selected part is shown */
    bool help;       /* the help is shown instead of the page */
    struct view_part parts[VIEW_PARTS];
};

void view_press(struct view *view, enum view_key key);

/* Selects another part if the selected part is empty, and limits `first` to the existing rows. */
void view_clamp(struct view *view);

#endif
