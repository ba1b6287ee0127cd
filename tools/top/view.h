/*
 * What somebody at the terminal chose to see: which part, from which row on, in which order.
 *
 * Keys change it; page.h draws by it and notes in it what there was to choose from. All zero is the
 * view at the beginning. One thread.
 */
#ifndef SLUICE_TOOLS_TOP_VIEW_H
#define SLUICE_TOOLS_TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/top/table.h"

/*
 * The parts of a page: listeners; connections; sinks; deliveries; drops, by reason; senders; who
 * lost most.
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
    VIEW_LEAVE, /* the help, or the one part that is shown */
};

/* Of one part. */
struct view_part {
    struct table_order order;
    size_t first; /* the row that is shown first */
    /* Noted by who draws. */
    size_t count, shown; /* rows there are, and rows that were shown */
    bool sortable[TABLE_COLUMNS];
};

struct view {
    size_t selected; /* the part that keys move */
    bool zoomed;     /* nothing else is shown */
    bool help;       /* how to use the page, instead of it */
    struct view_part parts[VIEW_PARTS];
};

void view_press(struct view *view, enum view_key key);

/* Selects a part that has rows, where the selected one has none; and keeps its first row a row. */
void view_clamp(struct view *view);

#endif
