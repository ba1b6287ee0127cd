/*
 * A file of properties for a library: a line for each, "NAME=VALUE". Empty lines, and those that
 * begin with '#', are nothing. Blanks around the name and the value do not belong to them. Values
 * may be secrets: no error shows one.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_PROPERTY_FILE_H
#define SLUICE_SINKS_DESTINATIONS_PROPERTY_FILE_H

#include <stddef.h>

#include "collector/base/error.h"

/* Bytes that such a file may have. */
#define PROPERTY_FILE_SIZE 65536

/*
 * Takes one. Returns 0, or -1 with `error` filled, without the value in it: reading ends there, and
 * the file and the line are put before the error.
 */
typedef int property_taker(void *context, const char *name, const char *value, struct error *error);

/*
 * Reads the file and hands its properties to `take`, in their order. Returns 0, or -1 with `error`
 * filled (EXIT_CODE_CONFIG): the file cannot be read, is too long, has a NUL byte or a line that is
 * no property, or `take` returned -1.
 */
int property_file_read(const char *path, property_taker *take, void *context, struct error *error);

/* The same of a text that is in memory, ended by a NUL; it is altered. */
int property_text_read(const char *path, char *text, property_taker *take, void *context,
                       struct error *error);

/*
 * Reads the whole file into `size` bytes of `text`, ended by a NUL. Returns 0, or -1 as above.
 */
int property_file_load(const char *path, char *text, size_t size, struct error *error);

#endif
