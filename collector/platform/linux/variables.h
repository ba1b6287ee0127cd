/*
 * Removes environment variables that a service manager has set for this process only, so that no
 * child process uses them. Main thread, before other threads exist. Only for platform/linux/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_VARIABLES_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Removes a variable. Sets *value to its text, which the caller frees, or to NULL if it is not set.
 * Returns false if memory is short; the variable is removed nevertheless.
 */
bool variable_take(const char *name, char **value);

/*
 * Removes a variable and reads its text as a plain decimal number. Returns false if the text is not
 * a number, or the variable is not set.
 */
bool variable_take_number(const char *name, uint64_t *value);

#endif
