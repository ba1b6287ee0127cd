/* Lists the changes of a reload, for its log line. Main thread. */
#ifndef SLUICE_COLLECTOR_PIPELINE_RELOAD_REPORT_H
#define SLUICE_COLLECTOR_PIPELINE_RELOAD_REPORT_H

#include <stddef.h>

#include "collector/config/config.h"
#include "collector/pipeline/pipeline_change.h"

/* The most bytes of the names in one list, with the NUL. A longer list ends in "...". */
#define RELOAD_NAMES_SIZE 160

/*
 * The number of listeners, sinks or options that have changed, and the names of the changed keys or
 * options.
 */
struct reload_names {
    size_t count;
    char names[RELOAD_NAMES_SIZE]; /* "receive_buffer, allow" */
};

struct reload_report {
    size_t listeners_before, sinks_before;
    struct reload_names listeners; /* kept listeners with changed keys */
    struct reload_names sinks;     /* new sinks in place of removed sinks of the same name */
    struct reload_names options;
};

/* Compares the configurations. `change` is the result of pipeline_compare for them. */
void reload_report_make(struct reload_report *report, const struct config *from,
                        const struct config *to, const struct change *change);

/* Logs the outcome: "configuration reloaded: listeners: 3 kept (1 changed: allow), ...". */
void reload_report_log(const struct reload_report *report, const struct config *to,
                       const struct change *change);

#endif
