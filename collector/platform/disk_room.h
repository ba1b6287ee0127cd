/*
 * How much of a file system stays free, and whether it does: who writes files asks before each
 * block, and the system is asked once a second.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_DISK_ROOM_H
#define SLUICE_COLLECTOR_PLATFORM_DISK_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"

/* What stays free: bytes, or hundredths of the file system. All zero: nothing need. */
struct disk_reserve {
    uint64_t bytes;
    uint64_t percent; /* below 100 */
};

/* What was found out last; zero before the first use. Of one thread. */
struct disk_room {
    int64_t look_at_ns; /* monotonic: the system is asked again then */
    bool low;
};

/*
 * Whether the file system that the file or folder is on has the reserve free, for a user without
 * rights of his own; false with `error` filled (EXIT_CODE_IO), which says what to do. Where the
 * system does not say there is room.
 */
bool disk_room_has(struct disk_room *room, const struct disk_reserve *reserve, const char *path,
                   struct error *error);

/* --- of each system --------------------------------------------------------------------------- */

/* Bytes that are free there, for a user without rights of his own, and all bytes. Returns false
 * where the system does not say. */
bool disk_room_look(const char *path, uint64_t *available, uint64_t *total);

#endif
