#include "tools/top/view.h"

#include <stdint.h>

/*
 * Selects the next part that has rows. `step` is 1 for the next one, and VIEW_PARTS - 1 for the
 * previous one.
 */
static void select_next(struct view *view, size_t step)
{
    for (size_t i = 0; i < VIEW_PARTS; i++) {
        view->selected = (view->selected + step) % VIEW_PARTS;
        if (view->parts[view->selected].count != 0)
            return;
    }
}

/* Sorts by the next visible column. After the last column comes the initial order. */
static void sort_by_next(struct view_part *part)
{
    size_t by = part->order.by;
    do
        by = by == TABLE_COLUMNS ? TABLE_AS_MADE : by + 1;
    while (by != TABLE_AS_MADE && !part->sortable[by - 1]);
    part->order = (struct table_order){.by = by};
    part->first = 0;
}

static void scroll(struct view_part *part, size_t rows, bool forth)
{
    if (forth)
        part->first += rows;
    else
        part->first -= rows < part->first ? rows : part->first;
}

void view_press(struct view *view, enum view_key key)
{
    struct view_part *part = &view->parts[view->selected];
    size_t screen = part->shown != 0 ? part->shown : 1;
    bool helped = view->help;
    view->help = false;
    if (helped) /* any key leaves the help */
        return;
    switch (key) {
    case VIEW_UP:
    case VIEW_DOWN:
        scroll(part, 1, key == VIEW_DOWN);
        break;
    case VIEW_PAGE_UP:
    case VIEW_PAGE_DOWN:
        scroll(part, screen, key == VIEW_PAGE_DOWN);
        break;
    case VIEW_HOME:
        part->first = 0;
        break;
    case VIEW_END:
        part->first = part->count;
        break;
    case VIEW_NEXT:
        select_next(view, 1);
        break;
    case VIEW_PREVIOUS:
        select_next(view, VIEW_PARTS - 1);
        break;
    case VIEW_SORT:
        sort_by_next(part);
        break;
    case VIEW_REVERSE:
        part->order.reversed = !part->order.reversed;
        part->first = 0;
        break;
    case VIEW_ZOOM:
        view->zoomed = !view->zoomed;
        break;
    case VIEW_HELP:
        view->help = true;
        break;
    case VIEW_LEAVE:
        view->zoomed = false;
        break;
    }
    view_clamp(view);
}

void view_clamp(struct view *view)
{
    struct view_part *part = &view->parts[view->selected];
    if (part->count == 0) {
        select_next(view, 1);
        view->zoomed &= view->selected == (size_t)(part - view->parts);
        part = &view->parts[view->selected];
    }
    size_t last = part->count > part->shown ? part->count - part->shown : 0;
    if (part->first > last)
        part->first = last;
}
