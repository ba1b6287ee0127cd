/*
 * The parts of the page, a table each, before they are cut to the terminal's size. For page.c.
 */
#ifndef SLUICE_TOOLS_TOP_PAGE_PARTS_H
#define SLUICE_TOOLS_TOP_PAGE_PARTS_H

#include <stdbool.h>

#include "tools/top/model.h"
#include "tools/top/rates.h"
#include "tools/top/table.h"
#include "tools/top/view.h"

/*
 * Makes all tables in the order of the view's parts; they point into the model. Returns false if
 * memory is short. The caller clears them in any case.
 */
bool page_parts_make(struct table parts[VIEW_PARTS], const struct model *model,
                     const struct rates *rates);
void page_parts_clear(struct table parts[VIEW_PARTS]);

#endif
