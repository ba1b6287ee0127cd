/*
 * Copies the command line with absolute paths, for a program that is started later from another
 * folder.
 *
 * The tables for parsing also show which values contain paths: URLs whose scheme takes a path, and
 * settings for which setting_path finds one. Main thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_ABSOLUTE_H
#define SLUICE_COLLECTOR_CONFIG_ABSOLUTE_H

#include "collector/base/error.h"
#include "collector/config/config.h"

/*
 * Returns a NULL-terminated copy of argv, which options_parse has accepted; the caller frees the
 * copy with absolute_arguments_free. Relative paths in it become paths in `folder`, which is
 * absolute with '/' as separator (collector/platform/file_system.h). Returns NULL with `error`
 * filled: EXIT_CODE_INTERNAL if memory is short, EXIT_CODE_USAGE if a character of the folder's
 * name would end the path in its argument.
 */
char **absolute_arguments(int argc, char *const *argv, const struct config_registry *registry,
                          const char *folder, struct error *error);

/* Frees the copy that absolute_arguments returned; NULL is allowed. */
void absolute_arguments_free(char **arguments);

#endif
