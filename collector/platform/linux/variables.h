/*
 * Variables that a service manager has set for this process only: they are removed from the
 * environment, so that no child process uses them. Main thread, before there are others. Only for
 * platform/linux/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_VARIABLES_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Removes one; *value is its text, which the caller frees, or NULL if it is not set. Returns false
 * without memory; it is removed then, too.
 */
bool variable_take(const char *name, char **value);

/*
 * Removes one and reads it as a plain decimal number. Returns false if it is not a number, or not
 * set.
 */
bool variable_take_number(const char *name, uint64_t *value);

#endif
