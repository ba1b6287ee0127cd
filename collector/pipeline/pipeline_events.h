/* Callbacks that the parts of a pipeline call from any thread; `context` is the pipeline. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_EVENTS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_EVENTS_H

#include <stddef.h>

void pipeline_changed(void *context);
void pipeline_pool_low(void *context);
void pipeline_socket_failed(void *context);
void pipeline_count_received(void *context, size_t datagrams);

#endif
