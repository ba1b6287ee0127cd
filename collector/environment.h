/* The variables that the program was started with. Any thread, while nobody changes them. */
#ifndef SLUICE_COLLECTOR_ENVIRONMENT_H
#define SLUICE_COLLECTOR_ENVIRONMENT_H

#include <stdbool.h>

/*
 * Tells the value of a variable in *value, which the caller frees; NULL: it is not set. Returns
 * false without memory.
 */
bool environment_value(const char *name, char **value);

#endif
