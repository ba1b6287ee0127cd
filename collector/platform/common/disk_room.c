#include "collector/platform/file_system.h"

#include <inttypes.h>

#include "collector/platform/clock.h"

#define LOOK_NS INT64_C(1000000000)

static bool is_low(const struct disk_reserve *reserve, const char *path)
{
    uint64_t available, total;
    if (!disk_room_look(path, &available, &total))
        return false;
    return available < reserve->bytes || available < total / 100 * reserve->percent;
}

bool disk_room_has(struct disk_room *room, const struct disk_reserve *reserve, const char *path,
                   struct error *error)
{
    if (reserve->bytes == 0 && reserve->percent == 0)
        return true;
    int64_t now_ns = clock_monotonic_ns();
    if (now_ns >= room->look_at_ns) {
        room->look_at_ns = now_ns + LOOK_NS;
        room->low = is_low(reserve, path);
    }
    if (!room->low)
        return true;
    if (reserve->percent != 0)
        error_set(error, EXIT_CODE_IO,
                  "the disk has less than %" PRIu64 "%% free (--min-free): free some, and it goes "
                  "on",
                  reserve->percent);
    else
        error_set(error, EXIT_CODE_IO,
                  "the disk has less than %" PRIu64 " bytes free (--min-free): free some, and it "
                  "goes on",
                  reserve->bytes);
    return false;
}
