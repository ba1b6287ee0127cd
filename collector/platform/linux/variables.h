/*
 * Takes variables that a service manager has set for this process only: removes them from the
 * environment, so that no child process uses them. Main thread, before other threads exist. Only
 * for platform/linux/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_VARIABLES_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Removes a variable. *value is its text, which the caller frees, or NULL if it is not set. Returns
 * false if memory is short; the variable is removed then, too.
 */
bool variable_take(const char *name, char **value);

/*
 * Removes a variable and reads its text as a plain decimal number. Returns false if the text is not
 * a number, or the variable is not set.
 */
bool variable_take_number(const char *name, uint64_t *value);

#endif
