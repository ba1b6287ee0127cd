/*
 * The keys of a sink that bound the series it writes and the times of samples: max_series=,
 * max_series_per_sender=, series_timeout=, max_age=, max_ahead= and time=.
 *
 * If the struct is all zero, all samples pass. Filled by config/, applied in front of the
 * encoders by collector/series.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_SERIES_LIMITS_H
#define SLUICE_COLLECTOR_CONTRACT_SERIES_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* The maximum of max_series=. The table of series has 21 to 42 bytes for each series. */
#define SERIES_LIMIT_MOST UINT64_C(100000000)

/* The default of series_timeout=, in nanoseconds. */
#define SERIES_TIMEOUT_DEFAULT UINT64_C(3600000000000)

/* How a sample whose own time is outside the limits is used. */
enum sample_time_use {
    SAMPLE_TIME_OWN,     /* the sample is left out */
    SAMPLE_TIME_ARRIVAL, /* the sample is written with the arrival time of its datagram */
};

struct series_limits {
    const char *given;   /* the first of these keys that the sink's URL has; NULL if it has none,
                            but a default may limit the series */
    uint64_t max_series; /* number of series that the sink writes; 0 means no limit */
    uint64_t max_per_sender; /* number of these series that one sender may add; 0 means no limit */
    uint64_t timeout; /* nanoseconds without a sample after which a series is forgotten; 0: not
                         given, which occurs only in an incomplete configuration */
    uint64_t max_age; /* nanoseconds by which a sample may be older than its arrival; 0 means any */
    uint64_t max_ahead; /* nanoseconds by which a sample may be ahead of its arrival; 0 means any */
    enum sample_time_use time;
};

/* Returns true if the number of series is limited. */
static inline bool series_limits_series(const struct series_limits *limits)
{
    return limits->max_series != 0;
}

static inline bool series_limits_times(const struct series_limits *limits)
{
    return limits->max_age != 0 || limits->max_ahead != 0;
}

#endif
