/* Whether a kafka: sink would get anywhere: its brokers are asked about its topic. */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_PROBE_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_PROBE_H

#include <stdint.h>

#include "collector/base/error.h"
#include "sinks/destinations/kafka_library.h"
#include "sinks/destinations/kafka_settings.h"

/*
 * Asks for the metadata of the topic, as destination_ops.probe says; NULL: its name depends on the
 * records, and only the brokers are asked for. Asks as a consumer does: a question of a producer
 * could make the topic. `settings` are the sink's. Main thread.
 */
void kafka_probe_run(const struct kafka_library *library, const struct kafka_settings *settings,
                     const char *topic, int64_t timeout_ns, struct error *said);

#endif
