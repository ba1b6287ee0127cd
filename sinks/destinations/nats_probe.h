/* Whether a nats: sink would get anywhere: a login, and a question for the stream of its subject.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_NATS_PROBE_H
#define SLUICE_SINKS_DESTINATIONS_NATS_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/delivery.h"
#include "sinks/destinations/nats_library.h"

/*
 * Connects and asks JetStream which stream takes the subject, in which "*" stands for any word, as
 * destination_ops.probe says. `settings` are the sink's, for `servers` of them, and taken over.
 * Main thread.
 */
void nats_probe_run(const struct nats_library *library, natsOptions *settings, size_t servers,
                    const char *subject, int64_t timeout_ns, struct error *said);

/*
 * The subject of a sink with "*" in the place of each word that has a field in it. Returns false
 * where it has no room. Pure.
 */
bool nats_probe_subject(const char *text, char subject[DELIVERY_ROUTE_SIZE]);

/*
 * What JetStream's answer about the streams of a subject says (to $JS.API.STREAM.NAMES), as
 * destination_ops.probe has it. Pure.
 */
void nats_probe_judge(const char *json, size_t size, const char *subject, struct error *said);

#endif
