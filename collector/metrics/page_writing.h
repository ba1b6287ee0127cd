/* Writes a page into memory, which grows until the page fits. Any thread. */
#ifndef SLUICE_COLLECTOR_METRICS_PAGE_WRITING_H
#define SLUICE_COLLECTOR_METRICS_PAGE_WRITING_H

#include <stdbool.h>

#include "collector/text/output.h"

/* Appends the page to `out`. If `out` overflows, it is called again with more room. */
typedef void page_writer(void *context, struct output *out);

/*
 * Allocates out->data for the page; the caller frees it. Returns false, without allocated memory,
 * if memory is short or the page exceeds 64 MiB.
 */
bool page_write(page_writer *write, void *context, struct output *out);

#endif
