/*
 * Shows on the terminal how far long work has come (collector/base/progress.h): one line on
 * standard error, which is written over ten times a second and is gone when the work is done. What
 * the log writes meanwhile takes its place, and it comes again below.
 *
 * Nothing is shown where standard error is no terminal, of work that takes less than half a second,
 * and of what a second thread does meanwhile.
 */
#ifndef SLUICE_COLLECTOR_LOG_PROGRESS_LINE_H
#define SLUICE_COLLECTOR_LOG_PROGRESS_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* From now on, where there is a terminal. While there is one thread. */
void progress_line_begin(void);

/* Nothing more is shown, and what was is gone. While there is one thread. */
void progress_line_end(void);

/* Takes the line away that is shown now, if there is one, before something else is written to
 * standard error. Any thread. */
void progress_line_make_room(void);

#endif
