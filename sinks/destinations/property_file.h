/*
 * Reads a file of properties for a library: lines of "NAME=VALUE". Empty lines, lines that begin
 * with '#', and blanks around names and values are ignored. Values may be secrets: no error
 * contains a value.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_PROPERTY_FILE_H
#define SLUICE_SINKS_DESTINATIONS_PROPERTY_FILE_H

#include <stddef.h>

#include "collector/base/error.h"

/* The maximum size of a file of properties in bytes. */
#define PROPERTY_FILE_SIZE 65536

/*
 * Called for each property. Returns 0, or -1 with `error` filled, but without the value; then
 * reading ends, and the file's name and the line number are prepended to the error.
 */
typedef int property_taker(void *context, const char *name, const char *value, struct error *error);

/*
 * Reads the file and calls `take` for its properties in their order. Returns 0, or -1 with `error`
 * filled (EXIT_CODE_CONFIG) if the file cannot be read, is too long, has a NUL byte or a line that
 * is not a property, or if `take` returned -1.
 */
int property_file_read(const char *path, property_taker *take, void *context, struct error *error);

/*
 * Reads properties from `text`, which ends with a NUL and is modified. `path` is the name for
 * errors. Returns as property_file_read does.
 */
int property_text_read(const char *path, char *text, property_taker *take, void *context,
                       struct error *error);

/*
 * Reads the whole file into the `size` bytes of `text`, with a NUL. Returns as property_file_read
 * does.
 */
int property_file_load(const char *path, char *text, size_t size, struct error *error);

#endif
