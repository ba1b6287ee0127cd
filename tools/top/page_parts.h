/*
 * The parts of the page: a table each, not yet cut to what a terminal holds. For page.c.
 */
#ifndef SLUICE_TOOLS_TOP_PAGE_PARTS_H
#define SLUICE_TOOLS_TOP_PAGE_PARTS_H

#include <stdbool.h>

#include "tools/top/model.h"
#include "tools/top/rates.h"
#include "tools/top/table.h"
#include "tools/top/view.h"

/*
 * Makes all tables, in the order of VIEW_PARTS; they point into the model. Returns false where
 * memory is short. They are to be cleared in any case.
 */
bool page_parts_make(struct table parts[VIEW_PARTS], const struct model *model,
                     const struct rates *rates);
void page_parts_clear(struct table parts[VIEW_PARTS]);

#endif
