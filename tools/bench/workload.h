/*
 * What the bench works on: the datagrams of one kind, with the schema that says what they mean.
 *
 * Lifecycle: all zero, one of the two makers, clear. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_WORKLOAD_H
#define SLUICE_TOOLS_BENCH_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/schema.h"
#include "tools/bench/traffic.h"

struct workload {
    const char *name;
    struct schema *schema;
    uint8_t *bytes;  /* all datagrams, one after the other */
    size_t *offsets; /* count + 1 of them */
    size_t count;
};

/*
 * One telemetry datagram of a kind. Returns 0, or -1 with `error` filled; the workload is to be
 * cleared in either case.
 */
int workload_of_traffic(struct workload *workload, const struct traffic *traffic,
                        struct error *error);

void workload_clear(struct workload *workload);

/*
 * Makes one workload after the other, of each traffic and of `count` captures, and has it measured.
 * Returns 0, or -1 with `error` filled by whatever failed first.
 */
int workload_each(const char *const *captures, size_t count,
                  int (*measure)(void *context, const struct workload *workload,
                                 struct error *error),
                  void *context, struct error *error);

#endif
