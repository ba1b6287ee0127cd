/*
 * The sources, schemas, destinations, formats, compressions and notifiers of this program.
 * Constant; any thread. The manual is made from it, too (tools/manual).
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_REGISTRY_H
#define SLUICE_COLLECTOR_PROGRAM_REGISTRY_H

#include "collector/config/config.h"

extern const struct config_registry program_registry;

#endif
