/*
 * The command line again, with every path in it absolute: for a program that is started later,
 * from another folder.
 *
 * What is a path is found by the tables that read the command line: the place of a URL whose scheme
 * is a file's, and the settings that setting_path knows. The main thread's.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_ABSOLUTE_H
#define SLUICE_COLLECTOR_CONFIG_ABSOLUTE_H

#include "collector/base/error.h"
#include "collector/config/config.h"

/*
 * Returns argv[0], the arguments after it, which options_parse has accepted, and a NULL.
 * `folder` is where their paths begin (collector/platform/file_system.h): absolute, with '/'
 * between its names. NULL with `error` filled: EXIT_CODE_INTERNAL without memory, EXIT_CODE_USAGE
 * where the folder's own name has something in it that would mean something else where it is put.
 * The caller frees them (absolute_arguments_free).
 */
char **absolute_arguments(int argc, char *const *argv, const struct config_registry *registry,
                          const char *folder, struct error *error);

/* NULL is allowed. */
void absolute_arguments_free(char **arguments);

#endif
