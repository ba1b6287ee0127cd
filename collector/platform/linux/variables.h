/*
 * Variables that a service manager has set for this process alone: they are taken out of the
 * environment, so that no child believes them to be meant for it. Main thread, before there are
 * others. Of platform/linux only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_VARIABLES_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Takes one; *value is its text, to be freed, or NULL where it is not set. Returns false where
 * memory is short; it is taken then, too.
 */
bool variable_take(const char *name, char **value);

/* Takes one and reads it as a plain decimal number. Returns false where it is none, or not set. */
bool variable_take_number(const char *name, uint64_t *value);

#endif
