/*
 * Libraries that are loaded when they are needed: who does not use what they do needs neither them
 * nor memory for them. They stay until the program ends. POSIX only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_SHARED_LIBRARY_H
#define SLUICE_COLLECTOR_PLATFORM_SHARED_LIBRARY_H

#include <stdbool.h>

#include "collector/base/error.h"

/*
 * Loads a library by its name alone, which the system looks for where it has its libraries. Returns
 * what stands for it, or NULL with `error` filled (EXIT_CODE_CONFIG).
 */
void *shared_library_load(const char *name, struct error *error);

/*
 * Sets the pointer to a function that `pointer` points to, of whatever type, to the library's
 * function of that name. Returns false, with `error` filled (EXIT_CODE_CONFIG), where it has none.
 */
bool shared_library_find(void *library, const char *function, void *pointer, struct error *error);

#endif
