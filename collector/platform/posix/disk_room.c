/* Implements disk_room_look() with statvfs(3). */
#include "collector/platform/file_system.h"

#include <sys/statvfs.h>

bool disk_room_look(const char *path, uint64_t *available, uint64_t *total)
{
    struct statvfs found;
    if (statvfs(path, &found) != 0)
        return false;
    *available = (uint64_t)found.f_bavail * found.f_frsize;
    *total = (uint64_t)found.f_blocks * found.f_frsize;
    return true;
}
