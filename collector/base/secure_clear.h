/* Clears memory that contained a secret, in a way that no compiler removes. Any thread. */
#ifndef SLUICE_COLLECTOR_BASE_SECURE_CLEAR_H
#define SLUICE_COLLECTOR_BASE_SECURE_CLEAR_H

#include <stddef.h>

/*
 * Must be called before memory with a secret is freed or goes out of scope: compilers remove a
 * memset whose result is never read. NULL is allowed.
 */
void secure_clear(void *memory, size_t size);

#endif
