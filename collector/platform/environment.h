/* The variables that the program was started with. Any thread, while nobody changes them. */
#ifndef SLUICE_COLLECTOR_PLATFORM_ENVIRONMENT_H
#define SLUICE_COLLECTOR_PLATFORM_ENVIRONMENT_H

#include <stdbool.h>

/*
 * Tells the value of a variable in *value, which the caller frees; NULL: it is not set. Returns
 * false without memory.
 */
bool environment_value(const char *name, char **value);

/*
 * Calls `visit` with the name of each variable that begins with `prefix`, until it returns false.
 * Where the system ignores case in names, a name is given in upper case. Returns false without
 * memory.
 */
bool environment_each(const char *prefix, bool (*visit)(void *context, const char *name),
                      void *context);

#endif
