/*
 * Shows the progress of long work (base/progress.h) on the terminal: one line on standard error,
 * updated ten times a second and removed when the work is done. A log line replaces the progress
 * line, which then reappears below it.
 *
 * Shows nothing if standard error is not a terminal, for work that takes less than half a second,
 * and for the work of a second thread at the same time.
 */
#ifndef SLUICE_COLLECTOR_LOG_PROGRESS_LINE_H
#define SLUICE_COLLECTOR_LOG_PROGRESS_LINE_H

/* Begins to show progress if there is a terminal. Call it while there is one thread. */
void progress_line_begin(void);

/* Removes the line and shows no more. Call it while there is one thread. */
void progress_line_end(void);

/* Removes the line, if it is shown, ahead of other output to standard error. Any thread. */
void progress_line_make_room(void);

#endif
