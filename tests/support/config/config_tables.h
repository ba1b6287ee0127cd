/*
 * A registry for tests of the configuration, with schemas, destinations, encoders and others. Most
 * entries have only a name and properties, and cannot be used. Constant.
 */
#ifndef SLUICE_TESTS_SUPPORT_CONFIG_CONFIG_TABLES_H
#define SLUICE_TESTS_SUPPORT_CONFIG_CONFIG_TABLES_H

#include "collector/config/config.h"

extern const struct config_registry test_registry;

#endif
