/* Random bytes that nobody can foretell, from the operating system. */
#ifndef SLUICE_COLLECTOR_PLATFORM_RANDOM_H
#define SLUICE_COLLECTOR_PLATFORM_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* Fills `size` (at most 256) bytes. Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL). */
int random_bytes(uint8_t *bytes, size_t size, struct error *error);

#endif
