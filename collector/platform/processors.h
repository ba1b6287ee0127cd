/*
 * The processors that threads of this process may run on, by the system's numbers, and staying on
 * one of them. CMake picks the implementation under platform/. Any thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_PROCESSORS_H
#define SLUICE_COLLECTOR_PLATFORM_PROCESSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More numbers than this, or higher ones, no list holds. */
#define PROCESSORS_MAX  64
#define PROCESSORS_LAST 1023

/* Some of them, in an order; a value. None: wherever the system likes. */
struct processor_list {
    size_t count;
    uint16_t numbers[PROCESSORS_MAX];
};

bool processor_is_ours(unsigned number);

/* The calling thread stays there from now on. Returns false where it cannot. */
bool processor_stay_on(unsigned number);

#endif
