/*
 * A line about the progress of work: "reading day.pcap: 42 %, 1,234,567 datagrams, 312,000/s, 41 s
 * left". Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_LOG_PROGRESS_TEXT_H
#define SLUICE_COLLECTOR_LOG_PROGRESS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress_figures {
    const char *doing;
    const char *name;    /* NULL: none */
    double done, total;  /* in the same unit; total 0: not known */
    const char *counted; /* what `count` counts, in the plural; NULL: not shown */
    uint64_t count;
    bool bytes;     /* the rate is that of `done` in bytes, else that of `count` */
    double seconds; /* since the work began */
};

/* Bytes of the longest line and its NUL. */
#define PROGRESS_TEXT_SIZE 256

/*
 * Writes the line, at most `columns` bytes. A long name is cut at its beginning; parts that do not
 * fit at the end are omitted. Bytes of the name that are not printable ASCII become '?'. Returns
 * the length without the NUL.
 */
size_t progress_text(const struct progress_figures *figures, size_t columns,
                     char text[PROGRESS_TEXT_SIZE]);

#endif
