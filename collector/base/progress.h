/*
 * Reports the progress of long work to a watcher.
 *
 * The work reports each of its steps; without a watcher a report costs one comparison. The watcher
 * decides what to show, and when (collector/log/progress_line.h).
 */
#ifndef SLUICE_COLLECTOR_BASE_PROGRESS_H
#define SLUICE_COLLECTOR_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum progress_unit { PROGRESS_BYTES, PROGRESS_DATAGRAMS, PROGRESS_STEPS };

struct progress {
    const char *doing; /* the activity: "reading" */
    const char *name;  /* the file that is read, or the present step; NULL means no name */
    uint64_t done;     /* amount finished so far, in `unit` */
    uint64_t total;    /* total amount in `unit`; 0 if it is not known */
    enum progress_unit unit;
    uint64_t datagrams; /* number of datagrams so far, if `unit` is another; 0 for no number */
};

/*
 * A function that shows the progress. `now` is the present state. It is NULL if the work has ended,
 * or continues without reports.
 */
typedef void progress_watcher(const struct progress *now);

/* Sets the watcher; NULL if no watcher. Must be called only while the process has one thread. */
void progress_watch(progress_watcher *watcher);

/* Any thread. The texts must live until the thread's next progress_report or progress_end. */
void progress_report(const struct progress *now);
void progress_end(void);

/* Returns true if there is a watcher. Otherwise the caller can skip costly figures. Any thread. */
bool progress_is_watched(void);

#endif
