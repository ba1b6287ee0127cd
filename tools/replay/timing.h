/*
 * When a captured datagram is due: as far after the first one as when it was captured, divided by
 * a speed. Pure; any thread.
 */
#ifndef SLUICE_TOOLS_REPLAY_TIMING_H
#define SLUICE_TOOLS_REPLAY_TIMING_H

#include <stdbool.h>
#include <stdint.h>

struct timing {
    double speed;      /* 2: twice as fast as captured; 0: as fast as possible */
    int64_t first_ns;  /* the time of the first datagram that has one; 0: none yet */
    int64_t latest_ns; /* what timing_due returned last */
};

/* Reads "2x", "0.5x" or "max". Returns false where the text is neither, or 0. */
bool timing_parse_speed(const char *text, double *speed);

/*
 * Nanoseconds after the start at which the datagram captured at `time_ns` is due. Never less than
 * for the one before: a datagram without a time (0), or with an earlier one, is due with it.
 */
int64_t timing_due(struct timing *timing, int64_t time_ns);

#endif
