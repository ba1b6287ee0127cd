/* How long something takes, measured again and again. One thread. */
#ifndef SLUICE_TOOLS_BENCH_TIMING_H
#define SLUICE_TOOLS_BENCH_TIMING_H

#include <stdint.h>

/* Repeats it for at least `round_ns`. Returns nanoseconds a time. */
double timing_round(void (*once)(void *context), void *context, int64_t round_ns);

#endif
