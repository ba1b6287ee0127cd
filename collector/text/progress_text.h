/*
 * A line that says how far work has come: "reading day.pcap: 42 %, 1,234,567 datagrams, 312,000/s,
 * 41 s left". Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_PROGRESS_TEXT_H
#define SLUICE_COLLECTOR_TEXT_PROGRESS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress_figures {
    const char *doing;
    const char *name;    /* NULL: none */
    double done, total;  /* in one unit; total 0: not known */
    const char *counted; /* what `count` counts, in the plural; NULL: it is not shown */
    uint64_t count;
    bool bytes;     /* the rate is that of `done`, in bytes; else of `count` */
    double seconds; /* since it began */
};

/* Room for the longest line, and its NUL. */
#define PROGRESS_TEXT_SIZE 256

/*
 * Writes the line, of `columns` bytes at most: of what does not fit the name is cut at its begin,
 * then what comes last is left out. Control characters of the name, and what is no ASCII, become
 * '?'. Returns how many bytes it has, the NUL not counted.
 */
size_t progress_text(const struct progress_figures *figures, size_t columns,
                     char text[PROGRESS_TEXT_SIZE]);

#endif
