/* The calling thread. Each operating system has its own file, chosen by CMake. */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_THIS_THREAD_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_THIS_THREAD_H

#include <stdint.h>

/*
 * Returns a number that identifies the calling thread among living threads. It is not 0. Does not
 * allocate.
 */
uintptr_t this_thread(void);

/* Yields the processor to other threads. */
void this_thread_yield(void);

#endif
