/*
 * Runs a collector inside a fuzz target, for targets that are its clients. It has a UDP listener
 * that receives nothing, a sink, a control socket and metrics. It is created for the first input
 * and runs until the program ends.
 */
#ifndef SLUICE_TESTS_FUZZ_COLLECTOR_INSIDE_H
#define SLUICE_TESTS_FUZZ_COLLECTOR_INSIDE_H

#include "collector/config/config.h"
#include "collector/health/health_watch.h"
#include "collector/pipeline/pipeline.h"

struct collector_inside {
    struct config config;
    struct pipeline *pipeline;
    struct health_watch *health;
};

struct collector_inside *collector_inside(void);

/* Returns the collector's ledger as JSON, without its uptime. The caller frees the text. */
char *collector_ledger(struct collector_inside *collector);

#endif
