/* Writes a text into memory that grows until it fits. Any thread. */
#ifndef SLUICE_COLLECTOR_METRICS_PAGE_WRITING_H
#define SLUICE_COLLECTOR_METRICS_PAGE_WRITING_H

#include <stdbool.h>

#include "collector/text/output.h"

/* Appends the text; where it does not fit, it is called again with more room. */
typedef void page_writer(void *context, struct output *out);

/*
 * The text is in out->data, which is the caller's to free. Returns false, with nothing to free,
 * where memory is short or the text has more than 64 MiB.
 */
bool page_write(page_writer *write, void *context, struct output *out);

#endif
