/* Checks whether a kafka: sink could deliver records, by querying the brokers for the topic. */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_PROBE_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_PROBE_H

#include <stdint.h>

#include "collector/base/error.h"
#include "sinks/destinations/kafka_library.h"
#include "sinks/destinations/kafka_settings.h"

/*
 * Implements destination_ops.probe with a query for the metadata of the topic. `topic` is NULL if
 * it depends on the records; then only the brokers are checked. The query is that of a consumer,
 * because a producer's query could create the topic. `settings` are those of the sink. Main thread.
 */
void kafka_probe_run(const struct kafka_library *library, const struct kafka_settings *settings,
                     const char *topic, int64_t timeout_ns, struct error *said);

#endif
