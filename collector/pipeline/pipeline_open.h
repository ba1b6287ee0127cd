/* Builds a pipeline. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_OPEN_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_OPEN_H

struct error;
struct pipeline;

/*
 * Makes, opens and connects all parts of a pipeline; `pipeline` is all zero except its options.
 * Returns 0, or -1 with `error` filled; the caller then calls pipeline_destroy.
 */
int pipeline_open(struct pipeline *pipeline, struct error *error);

#endif
