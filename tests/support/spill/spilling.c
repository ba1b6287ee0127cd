#include "tests/support/spill/spilling.h"
#include "tests/support/spill/read_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/file_system.h"
#include "collector/platform/machine.h"
#include "tests/support/base/random_number.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

/* This is more than the number of files that any test makes. */
#define FILES_MAX 512

struct spill_settings spilling_settings(void)
{
    return (struct spill_settings){
        .folder = scratch_path("spill"),
        .size = (uint64_t)1024 * 1024,
        .segment_size = SPILLING_SEGMENT,
        .image_size = SPILLING_IMAGE,
        .window = 1000,
        .sync = SPILL_SYNC_NEVER,
        .sync_interval_ns = 1,
        .cursor_interval_ns = 1,
    };
}

struct spill_settings spilling_small_settings(void)
{
    struct spill_settings settings = spilling_settings();
    settings.image_size = SPILLING_SMALL_IMAGE;
    settings.segment_size = 300;
    return settings;
}

static bool drop(enum log_level level, const char *lines, size_t size)
{
    (void)level;
    (void)lines;
    (void)size;
    return true;
}

struct spill *spilling_open_with(const struct spill_settings *settings)
{
    struct spill *spill;
    struct error error;
    log_divert(drop);
    if (spill_open(settings, &spill, &error) != 0)
        fail_msg("%s", error.text);
    return spill;
}

struct spill *spilling_open(void)
{
    const struct spill_settings settings = spilling_settings();
    return spilling_open_with(&settings);
}

void spilling_close(struct spill *spill)
{
    struct error error;
    if (!spill_close(spill, &error))
        fail_msg("%s", error.text);
}

/* --- inspecting a spill ----------------------------------------------------------------------- */

/* Returns a checksum of the names, sizes, times and bytes of all files in the folder. */
static uint64_t fingerprint(void)
{
    uint64_t sum = 0;
    struct folder_entry entry;
    struct folder *folder = folder_open(scratch_path("spill"));
    while (folder != NULL && folder_next(folder, &entry)) {
        char name[80];
        size_t size = 0;
        snprintf(name, sizeof name, "spill/%s", entry.name);
        char *bytes = entry.is_file ? scratch_read(name, &size) : NULL;
        uint64_t one = crc32c(crc32c(0, name, strlen(name)), bytes, size) + (uint64_t)1;
        sum += one * (entry.size + 1) + (uint64_t)entry.modified_ns;
        free(bytes);
    }
    folder_close(folder);
    return sum;
}

struct spill_inspection spilling_inspect(const struct spill_settings *settings, int64_t until_ns)
{
    struct spill_inspection found;
    struct error error;
    uint64_t before = fingerprint();
    struct spill_settings here = *settings; /* the path of `settings` may be overwritten by now */
    here.folder = scratch_path("spill");
    log_divert(drop);
    if (spill_inspect(&here, until_ns, &found, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(fingerprint() == before);
    return found;
}

struct spill *spilling_open_inspected(const struct spill_settings *settings)
{
    struct spill_inspection found = spilling_inspect(settings, INT64_MAX);
    struct spill_settings here = *settings;
    here.folder = scratch_path("spill");
    struct spill *spill = spilling_open_with(&here);
    struct spill_counts counts = spilling_counts(spill);
    assert_int_equal(found.records + found.lost, counts.recovered);
    assert_int_equal(found.bytes, counts.bytes);
    return spill;
}

/* --- blocks ----------------------------------------------------------------------------------- */

uint32_t spilling_count(uint64_t number)
{
    uint64_t state = number;
    return (uint32_t)(1 + next_below(&state, 9));
}

size_t spilling_image(uint64_t number, uint8_t *bytes)
{
    uint64_t state = number + 1000000;
    size_t most = number < SPILLING_SMALL ? SPILLING_IMAGE : SPILLING_SMALL_IMAGE;
    size_t size = 1 + (size_t)next_below(&state, most);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)next_random(&state);
    return size;
}

static uint32_t layout_of(uint64_t number)
{
    return (uint32_t)(number % 7);
}

enum spill_stored spilling_offer(struct spill *spill, uint64_t number, struct error *error)
{
    uint8_t bytes[SPILLING_IMAGE];
    size_t size = spilling_image(number, bytes);
    size_t first = size / 3;
    const struct text pieces[] = {{(const char *)bytes, first},
                                  {(const char *)bytes + first, size - first}};
    const struct spill_block block = {
        .number = number, .count = spilling_count(number), .layout = layout_of(number)};
    return spill_append(spill, &block, pieces, 2, error);
}

void spilling_append(struct spill *spill, uint64_t number)
{
    struct error error;
    if (spilling_offer(spill, number, &error) != SPILL_STORED)
        fail_msg("%s", error.text);
}

void spilling_append_all(struct spill *spill, uint64_t first, uint64_t end)
{
    for (uint64_t number = first; number < end; number++)
        spilling_append(spill, number);
}

bool spilling_read(struct spill *spill, uint64_t *number)
{
    uint8_t bytes[SPILLING_IMAGE];
    uint8_t expected[SPILLING_IMAGE];
    struct spill_block block;
    struct error error;
    enum spill_found found = spill_read(spill, bytes, sizeof bytes, &block, &error);
    if (found == SPILL_FOUND_NONE)
        return false;
    if (found == SPILL_FOUND_FAILED)
        fail_msg("%s", error.text);
    assert_int_equal(found, SPILL_FOUND);
    assert_int_equal(block.count, spilling_count(block.number));
    assert_int_equal(block.layout, layout_of(block.number));
    assert_int_equal(block.size, spilling_image(block.number, expected));
    assert_memory_equal(bytes, expected, block.size);
    *number = block.number;
    return true;
}

void spilling_expect(struct spill *spill, uint64_t first, uint64_t end, bool acknowledge)
{
    for (uint64_t number = first; number < end; number++) {
        uint64_t found;
        if (!spilling_read(spill, &found))
            fail_msg("block %llu is not there", (unsigned long long)number);
        assert_int_equal(found, number);
        if (acknowledge)
            acknowledge_oldest(spill);
    }
}

uint64_t spilling_records(uint64_t first, uint64_t end)
{
    uint64_t records = 0;
    for (uint64_t number = first; number < end; number++)
        records += spilling_count(number);
    return records;
}

struct spill_counts spilling_counts(const struct spill *spill)
{
    struct spill_counts counts = spill_counts(spill);
    assert_true(counts.held <= counts.recovered + counts.appended);
    assert_int_equal(counts.recovered + counts.appended,
                     counts.acknowledged + counts.evicted + counts.lost + counts.held);
    return counts;
}

void spilling_tick(struct spill *spill)
{
    struct error error;
    if (!spill_tick(spill, clock_monotonic_ns() + 1, &error))
        fail_msg("%s", error.text);
}

/* --- files ------------------------------------------------------------------------------------ */

static char names[FILES_MAX][64];

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/*
 * Writes the names with this ending in a folder of the scratch directory to `names`, sorted.
 * Returns their number.
 */
static size_t list(const char *name, const char *ending)
{
    struct folder *folder = folder_open(scratch_path(name));
    struct folder_entry entry;
    size_t count = 0;
    assert_non_null(folder);
    while (folder_next(folder, &entry)) {
        size_t length = strlen(entry.name);
        if (length < strlen(ending) || strcmp(entry.name + length - strlen(ending), ending) != 0)
            continue;
        assert_in_range(count, 0, FILES_MAX - 1);
        snprintf(names[count++], sizeof names[0], "%s", entry.name);
    }
    folder_close(folder);
    qsort(names, count, sizeof names[0], by_name);
    return count;
}

size_t spilling_segments(void)
{
    return list("spill", ".seg");
}

const char *spilling_segment(size_t place)
{
    static char name[80];
    assert_in_range(place, 0, list("spill", ".seg") - 1);
    snprintf(name, sizeof name, "spill/%s", names[place]);
    return name;
}

static void copy_all(const char *from, const char *to)
{
    size_t count = list(from, "");
    for (size_t i = 0; i < count; i++) {
        char name[128];
        size_t size;
        snprintf(name, sizeof name, "%s/%s", from, names[i]);
        char *bytes = scratch_read(name, &size);
        snprintf(name, sizeof name, "%s/%s", to, names[i]);
        scratch_put(name, bytes, size);
        free(bytes);
    }
}

static void empty(const char *folder)
{
    size_t count = list(folder, "");
    for (size_t i = 0; i < count; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s/%s", folder, names[i]);
        assert_true(folder_remove_file(scratch_path(name)));
    }
}

void spilling_save(void)
{
    if (scratch_has("saved"))
        empty("saved");
    else
        scratch_make_folder("saved");
    copy_all("spill", "saved");
}

void spilling_restore(void)
{
    empty("spill");
    copy_all("saved", "spill");
}
