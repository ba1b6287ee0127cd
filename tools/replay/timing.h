/*
 * Computes when a captured datagram is due: its time since the first datagram of the capture,
 * divided by the speed. Pure; any thread.
 */
#ifndef SLUICE_TOOLS_REPLAY_TIMING_H
#define SLUICE_TOOLS_REPLAY_TIMING_H

#include <stdbool.h>
#include <stdint.h>

struct timing {
    double speed;      /* 1: as captured; 2: twice as fast; 0: as fast as possible */
    int64_t first_ns;  /* of the first datagram that has a time; 0 means none */
    int64_t latest_ns; /* last result of timing_due */
};

/* Parses "2x", "0.5x" or "max" (0). Returns false for other texts, and for the speed 0. */
bool timing_parse_speed(const char *text, double *speed);

/*
 * Returns the nanoseconds after the start at which a datagram captured at `time_ns` is due. The
 * result never decreases: a datagram without a time (0), or with an earlier time, is due together
 * with the one before it.
 */
int64_t timing_due(struct timing *timing, int64_t time_ns);

#endif
