/*
 * Writes the settings and their origins as JSON for the status page: those of --print-config,
 * without the values of secrets. Main thread.
 */
#ifndef SLUICE_COLLECTOR_STATUS_SETTINGS_JSON_H
#define SLUICE_COLLECTOR_STATUS_SETTINGS_JSON_H

#include "collector/config/config.h"
#include "collector/text/output.h"

struct pipeline;

/*
 * Appends one JSON object. Listeners and sinks have the names of the ledger. `schema`, from 1, is
 * the listener's schema that the key belongs to. `value` is null for a secret:
 *
 *   {"listeners":[{"name":"udp://127.0.0.1:5555","settings":[
 *     {"key":"address","value":"udp://127.0.0.1:5555","from":"command line"},
 *     {"key":"receivers","value":"1","from":"default"},
 *     {"key":"schema","value":"riemann","from":"sluice.yaml:4","schema":1}]}],
 *    "sinks":[{"name":"stdout:","settings":[...]}],
 *    "dead_letters":[...],
 *    "program":[{"key":"metrics","value":"9126","from":"environment: SLUICE_METRICS"}]}
 */
void settings_json_write(const struct config *config, const struct config_registry *registry,
                         const struct pipeline *pipeline, struct output *out);

#endif
