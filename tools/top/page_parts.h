/* Makes the parts of the page as tables, before they are cut to the terminal's size. For page.c. */
#ifndef SLUICE_TOOLS_TOP_PAGE_PARTS_H
#define SLUICE_TOOLS_TOP_PAGE_PARTS_H

#include <stdbool.h>

#include "tools/top/model.h"
#include "tools/top/rates.h"
#include "tools/top/table.h"
#include "tools/top/view.h"

/*
 * Makes the tables of all parts, in the order of the view's parts. They point into the model.
 * Returns false if out of memory. The caller clears the tables in both cases.
 */
bool page_parts_make(struct table parts[VIEW_PARTS], const struct model *model,
                     const struct rates *rates);
void page_parts_clear(struct table parts[VIEW_PARTS]);

#endif
