/*
 * Short waits: well below a millisecond, as exactly as the system can.
 *
 * Lifecycle: create, wait as often as you like, destroy. One thread waits; any may create and
 * destroy it. CMake picks the implementation under platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_PAUSE_H
#define SLUICE_COLLECTOR_PLATFORM_PAUSE_H

#include <stdint.h>

struct pause;

/* Returns NULL where the system has no wait that short, or no memory. */
struct pause *pause_create(void);

/* NULL is allowed. */
void pause_destroy(struct pause *pause);

/* Waits for so long, and what the scheduler takes to come back; a signal may end it earlier. */
void pause_wait(struct pause *pause, int64_t nanoseconds);

#endif
