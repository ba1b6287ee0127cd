/* Measures the duration of a function. One thread. */
#ifndef SLUICE_TOOLS_BENCH_TIMING_H
#define SLUICE_TOOLS_BENCH_TIMING_H

#include <stdint.h>

/*
 * Calls the function repeatedly for at least `round_ns`. Returns the mean duration of a call in
 * nanoseconds.
 */
double timing_round(void (*once)(void *context), void *context, int64_t round_ns);

#endif
