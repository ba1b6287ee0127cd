/*
 * Watches a file that grows, or a named pipe, for the lines of probes (tools/bench/probe.h). CMake
 * picks the implementation under tools/platform/.
 *
 * Lifecycle: tail_open, tail_look again and again, tail_close. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_TAIL_H
#define SLUICE_TOOLS_BENCH_TAIL_H

#include <stdbool.h>
#include <stddef.h>

struct tail;

/* NULL: there is no such file, or no memory. Reading begins where a file ends now. */
struct tail *tail_open(const char *path);

/*
 * Reads one small part of what is new, so that the caller is not kept long, and writes the
 * latencies of the probes in it, as probe_find does. *more says whether there may be more to read.
 */
size_t tail_look(struct tail *tail, double *latencies, size_t most, bool *more);

void tail_close(struct tail *tail);

#endif
