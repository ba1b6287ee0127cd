/* Clears memory that a secret was in, in a way that no compiler leaves out. Any thread. */
#ifndef SLUICE_COLLECTOR_BASE_SECURE_CLEAR_H
#define SLUICE_COLLECTOR_BASE_SECURE_CLEAR_H

#include <stddef.h>

/*
 * To be called before memory of a secret is freed or goes out of scope: a compiler removes a memset
 * whose result is not read any more. `memory` NULL: nothing.
 */
void secure_clear(void *memory, size_t size);

#endif
