/* Makes a pipeline. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_OPEN_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_OPEN_H

struct error;
struct pipeline;

/*
 * Makes, opens and connects all parts, in a pipeline that has its options and is zero otherwise.
 * Returns 0, or -1 with `error` filled; pipeline_destroy frees what there is.
 */
int pipeline_open(struct pipeline *pipeline, struct error *error);

#endif
