/* Tests the free space of a disk: writers check it often, but the system is rarely called. */
#include <string.h>

#include "collector/platform/file_system.h"
#include "tests/support/test.h"

TEST(the_system_says_what_is_free)
{
    uint64_t available = 0, total = 0;
    assert_true(disk_room_look(".", &available, &total));
    assert_true(total > 0 && available <= total);
}

TEST(without_a_reserve_there_is_room)
{
    struct disk_room room = {0};
    const struct disk_reserve none = {0};
    struct error error;
    assert_true(disk_room_has(&room, &none, ".", &error));
    assert_int_equal(room.look_at_ns, 0); /* the system was not called */
}

TEST(with_less_than_the_reserve_there_is_none)
{
    struct disk_room room = {0};
    const struct disk_reserve all = {.bytes = UINT64_MAX};
    struct error error = {0};
    assert_false(disk_room_has(&room, &all, ".", &error));
    assert_int_equal(error.code, EXIT_CODE_IO);
    assert_non_null(strstr(error.text, "--min-free"));
    assert_non_null(strstr(error.text, "free some"));
    struct disk_room other = {0};
    const struct disk_reserve little = {.bytes = 1};
    assert_true(disk_room_has(&other, &little, ".", &error));
}

TEST(a_share_is_of_the_whole_disk)
{
    struct disk_room room = {0};
    uint64_t available = 0, total = 0;
    struct error error = {0};
    assert_true(disk_room_look(".", &available, &total));
    uint64_t percent = available / (total / 100 + 1);
    const struct disk_reserve more = {.percent = percent + 2};
    assert_false(disk_room_has(&room, &more, ".", &error));
    assert_non_null(strstr(error.text, "% free"));
}

TEST(the_system_is_asked_once_a_second)
{
    struct disk_room room = {0};
    const struct disk_reserve all = {.bytes = UINT64_MAX};
    struct error error;
    assert_false(disk_room_has(&room, &all, ".", &error));
    int64_t next = room.look_at_ns;
    assert_false(disk_room_has(&room, &all, "no such file", &error));
    assert_int_equal(room.look_at_ns, next);
}

TEST(where_the_system_does_not_say_there_is_room)
{
    struct disk_room room = {0};
    const struct disk_reserve all = {.bytes = UINT64_MAX};
    struct error error;
    assert_true(disk_room_has(&room, &all, "no such folder/no such file", &error));
}
