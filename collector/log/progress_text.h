/*
 * Formats the progress of work as a line, such as "reading day.pcap: 42 %, 1,234,567 datagrams,
 * 312,000/s, 41 s left". Pure function; any thread.
 */
#ifndef SLUICE_COLLECTOR_LOG_PROGRESS_TEXT_H
#define SLUICE_COLLECTOR_LOG_PROGRESS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress_figures {
    const char *doing;
    const char *name;    /* may be NULL */
    double done, total;  /* in the same unit; `total` is 0 if it is not known */
    const char *counted; /* plural name of the things in `count`; if NULL, `count` is not shown */
    uint64_t count;
    bool bytes;     /* show the rate of `done`, in bytes, instead of that of `count` */
    double seconds; /* seconds since the work began */
};

/* The size of the longest line, including its NUL. */
#define PROGRESS_TEXT_SIZE 256

/*
 * Writes the line, at most `columns` bytes. A long name is cut at its beginning; parts at the end
 * that do not fit are omitted. Bytes of the name that are not printable ASCII become '?'. Returns
 * the length without the NUL.
 */
size_t progress_text(const struct progress_figures *figures, size_t columns,
                     char text[PROGRESS_TEXT_SIZE]);

#endif
