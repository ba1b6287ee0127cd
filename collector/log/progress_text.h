/*
 * Formats the progress of work as a line: "reading day.pcap: 42 %, 1,234,567 datagrams, 312,000/s,
 * 41 s left". Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_LOG_PROGRESS_TEXT_H
#define SLUICE_COLLECTOR_LOG_PROGRESS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress_figures {
    const char *doing;
    const char *name;    /* NULL: none */
    double done, total;  /* both in the same unit; total 0: not known */
    const char *counted; /* the plural name of the things that `count` counts; NULL: not shown */
    uint64_t count;
    bool bytes;     /* the rate shown is of `done`, in bytes; false: of `count` */
    double seconds; /* since the work began */
};

/* The size of a buffer for the longest line, including the NUL. */
#define PROGRESS_TEXT_SIZE 256

/*
 * Writes the line, at most `columns` bytes. A long name is cut at its beginning; parts that do not
 * fit at the end are omitted. Bytes of the name that are not printable ASCII become '?'. Returns
 * the length without the NUL.
 */
size_t progress_text(const struct progress_figures *figures, size_t columns,
                     char text[PROGRESS_TEXT_SIZE]);

#endif
