/*
 * Reads the collector's arguments when it runs as a service: the options of a command line that
 * make sense for a service. Main thread. Only on Windows.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_ARGUMENTS_H
#define SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_ARGUMENTS_H

#include <stdbool.h>

#include "collector/base/error.h"
#include "collector/config/config.h"

/*
 * Reads the arguments after argv[0] as options_parse does. Refuses options that print something or
 * check the configuration (such as --help and --check), and a sink that is standard output. Returns
 * false with `error` filled, or true with `config` filled, which the caller frees.
 */
bool service_arguments_read(int argc, char *const *argv, const struct config_registry *registry,
                            struct config *config, struct error *error);

/*
 * Makes the folder of the configuration file the current one, so that relative paths in the file
 * begin there and not in the folder of Windows. Does nothing without a file. Returns false with
 * `error` filled.
 */
bool service_enter_folder(const struct config *config, struct error *error);

/*
 * Copies argv with absolute paths and a NULL at its end, for a service that will start in another
 * folder. Returns NULL with `error` filled; else the caller frees the copy
 * (absolute_arguments_free).
 */
char **service_arguments_absolute(int argc, char *const *argv,
                                  const struct config_registry *registry, struct error *error);

#endif
