/*
 * A file of properties for a library: lines of "NAME=VALUE". Empty lines and lines that begin with
 * '#' are ignored. Blanks around names and values are ignored, too. Values may be secrets: no error
 * shows a value.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_PROPERTY_FILE_H
#define SLUICE_SINKS_DESTINATIONS_PROPERTY_FILE_H

#include <stddef.h>

#include "collector/base/error.h"

/* The maximum number of bytes of a file with properties. */
#define PROPERTY_FILE_SIZE 65536

/*
 * Is called for each property. Returns 0, or -1 with `error` filled, without the value: reading
 * ends there, and the file and line are prepended to the error.
 */
typedef int property_taker(void *context, const char *name, const char *value, struct error *error);

/*
 * Reads the file and calls `take` for its properties, in their order. Returns 0, or -1 with `error`
 * filled (EXIT_CODE_CONFIG) if the file cannot be read, is too long, has a NUL byte or a line that
 * is not a property, or if `take` returned -1.
 */
int property_file_read(const char *path, property_taker *take, void *context, struct error *error);

/*
 * Reads the properties of a text in memory with a NUL at its end, as property_file_read does. The
 * text is modified.
 */
int property_text_read(const char *path, char *text, property_taker *take, void *context,
                       struct error *error);

/*
 * Reads the whole file into the `size` bytes of `text`, and adds a NUL. Returns as
 * property_file_read.
 */
int property_file_load(const char *path, char *text, size_t size, struct error *error);

#endif
