/*
 * Tables for tests of the configuration to choose from: schemas "telemetry" and "riemann", "file",
 * destinations "stdout:" and "file:PATH", encoders "json" and "lines". They have names only;
 * nothing of them can be called. Constant.
 */
#ifndef SLUICE_TESTS_SUPPORT_CONFIG_CONFIG_TABLES_H
#define SLUICE_TESTS_SUPPORT_CONFIG_CONFIG_TABLES_H

#include "collector/config/config.h"

extern const struct config_registry test_registry;

#endif
