/*
 * Keeps what the user has selected for the page: the part, and each part's first row and order.
 * Keys change it. page_draw draws the selected rows, and stores their numbers in it. Initially
 * zero. One thread.
 */
#ifndef SLUICE_TOOLS_TOP_VIEW_H
#define SLUICE_TOOLS_TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/top/table.h"

/*
 * The number of parts of a page. They are, in order: listeners, connections, sinks, deliveries,
 * drops by reason, senders, senders with the most losses, and causes of growing series.
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
    /* page_draw sets these. */
    size_t count, shown; /* number of all rows, and of visible rows */
    bool sortable[TABLE_COLUMNS];
};

struct view {
    size_t selected; /* index of the part to which keys apply */
    bool zoomed;     /* only the selected part is shown */
    bool help;       /* the help is shown instead of the page */
    struct view_part parts[VIEW_PARTS];
};

void view_press(struct view *view, enum view_key key);

/* Selects another part if the selected one is empty. Limits `first` to the existing rows. */
void view_clamp(struct view *view);

#endif
