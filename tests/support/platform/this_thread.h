/* The thread that is running. Each operating system has its own file, chosen by CMake. */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_THIS_THREAD_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_THIS_THREAD_H

#include <stdint.h>

/* Not 0, and another number for each thread that lives. Allocates nothing. */
uintptr_t this_thread(void);

/* Lets other threads have the processor for a moment. */
void this_thread_yield(void);

#endif
