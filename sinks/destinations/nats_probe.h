/*
 * Checks whether a nats: sink could deliver records: logs in, and queries the stream of its
 * subject.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_NATS_PROBE_H
#define SLUICE_SINKS_DESTINATIONS_NATS_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/delivery.h"
#include "sinks/destinations/nats_library.h"

/*
 * Implements destination_ops.probe: connects, and requests from JetStream the name of the stream
 * that has the subject. A "*" in the subject matches any word. Takes over `settings`, which name
 * `servers` servers. Main thread.
 */
void nats_probe_run(const struct nats_library *library, natsOptions *settings, size_t servers,
                    const char *subject, int64_t timeout_ns, struct error *said);

/*
 * Copies the subject of a sink. Each word that contains a field becomes "*". Returns false if there
 * is no room. Pure.
 */
bool nats_probe_subject(const char *text, char subject[DELIVERY_ROUTE_SIZE]);

/* Fills *said, as destination_ops.probe does, from an answer to $JS.API.STREAM.NAMES. Pure. */
void nats_probe_classify(const char *json, size_t size, const char *subject, struct error *said);

#endif
