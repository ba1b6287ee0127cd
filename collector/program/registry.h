/*
 * What there is to choose from in the program's configuration: its schemas, destinations, formats,
 * compressions and notifiers. Constant; any thread.
 *
 * Shared by the program and by what writes its manual (tools/manual).
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_REGISTRY_H
#define SLUICE_COLLECTOR_PROGRAM_REGISTRY_H

#include "collector/config/config.h"

extern const struct config_registry program_registry;

#endif
