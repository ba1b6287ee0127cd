/*
 * Defines a registry for tests of the configuration, with schemas, destinations, encoders and
 * others. Most entries have only a name and properties, so the tests cannot create objects with
 * them.
 */
#ifndef SLUICE_TESTS_SUPPORT_CONFIG_CONFIG_TABLES_H
#define SLUICE_TESTS_SUPPORT_CONFIG_CONFIG_TABLES_H

#include "collector/config/config.h"

extern const struct config_registry test_registry;

#endif
