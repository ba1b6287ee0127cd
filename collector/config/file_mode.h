/* Parses mode=, the permissions of a file or of a socket's file. Pure; any thread. */
#ifndef SLUICE_COLLECTOR_CONFIG_FILE_MODE_H
#define SLUICE_COLLECTOR_CONFIG_FILE_MODE_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"

/*
 * A setting_parser for permissions as chmod(1) has them: octal digits with or without a leading
 * zero, from 1 to 0777. Refuses every value on systems without such permissions (file_modes_exist).
 * The field is a uint64_t, in which 0 means that the key was not given.
 */
bool file_mode_parse(const char *name, const char *text, size_t length, void *field,
                     struct parse_error *fault);

/* A setting_comparer for fields of file_mode_parse. */
bool file_mode_equal(const void *a, const void *b);

#endif
