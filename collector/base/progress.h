/*
 * How far long work has come, from whoever does it to whoever watches.
 *
 * The work reports at every step that it makes anyway: with nobody watching that costs a
 * comparison. The watcher decides what is worth showing, and when (collector/log/progress_line.h).
 */
#ifndef SLUICE_COLLECTOR_BASE_PROGRESS_H
#define SLUICE_COLLECTOR_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum progress_unit { PROGRESS_BYTES, PROGRESS_DATAGRAMS, PROGRESS_STEPS };

struct progress {
    const char *doing; /* "reading" */
    const char *name;  /* of what it reads, or what it does now; NULL: nothing has a name */
    uint64_t done;     /* in `unit` */
    uint64_t total;    /* 0: not known */
    enum progress_unit unit;
    uint64_t datagrams; /* of work in other units, so far; 0: none, or not counted */
};

/* NULL: the work has ended, or goes on without saying how far it is. */
typedef void progress_watcher(const struct progress *now);

/* From now on; NULL: nobody watches. While there is one thread. */
void progress_watch(progress_watcher *watcher);

/* Any thread. The texts live until the next report, or progress_end, of the same thread. */
void progress_report(const struct progress *now);
void progress_end(void);

/* Whether somebody watches: work that has to ask for how far it is need not. Any thread. */
bool progress_is_watched(void);

#endif
