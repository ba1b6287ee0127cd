/*
 * What encoding costs: each encoder that is built in, on the same decoded records in turn. One
 * thread.
 */
#ifndef SLUICE_TOOLS_BENCH_ENCODING_H
#define SLUICE_TOOLS_BENCH_ENCODING_H

#include <stdbool.h>

#include "tools/bench/workload.h"

#define ENCODING_MOST 16

/* Of one encoder, with one view. */
struct encoding_cost {
    const char *name;
    bool able;          /* it has something to say of these records */
    double nanoseconds; /* a record: the median of the rounds */
    double lines;       /* a record */
    double bytes;       /* a record */
};

/*
 * Measures in `rounds` rounds of at least `round_ns` nanoseconds for each encoder, the encoders in
 * turn. Returns how many there are, or -1 with `error` filled.
 */
int encoding_measure(const struct workload *workload, size_t rounds, int64_t round_ns,
                     struct encoding_cost costs[ENCODING_MOST], struct error *error);

#endif
