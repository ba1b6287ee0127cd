#include "tests/fuzz/inspected.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/scratch_folder.h"
#include "tests/fuzz/target.h"

/* The content of the scratch folder. */
struct files {
    char names[SCRATCH_FILES][SCRATCH_PATH_SIZE];
    uint8_t *bytes[SCRATCH_FILES];
    size_t sizes[SCRATCH_FILES];
    size_t count;
};

static void read_files(struct files *files)
{
    files->count = scratch_list(files->names);
    for (size_t i = 0; i < files->count; i++)
        files->bytes[i] = scratch_read(files->names[i], &files->sizes[i]);
}

static void free_files(const struct files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->bytes[i]);
}

struct spill_inspection inspected(const struct spill_settings *settings)
{
    static struct files before, after;
    struct spill_inspection found;
    struct error error;
    read_files(&before);
    EXPECT(spill_inspect(settings, INT64_MAX, &found, &error) == 0, "it is not inspected: %s",
           error.text);
    read_files(&after);
    EXPECT(before.count == after.count, "%zu files were inspected, and there are %zu", before.count,
           after.count);
    for (size_t i = 0; i < before.count; i++)
        EXPECT(strcmp(before.names[i], after.names[i]) == 0 && before.sizes[i] == after.sizes[i] &&
                   memcmp(before.bytes[i], after.bytes[i], before.sizes[i]) == 0,
               "an inspection has changed %s", before.names[i]);
    free_files(&before);
    free_files(&after);
    EXPECT(found.is_there && !found.is_held, "an inspection finds no spill, or one that is open");
    return found;
}

void expect_opened_as_inspected(const struct spill_inspection *found, const struct spill *spill)
{
    struct spill_counts counts = spill_counts(spill);
    EXPECT(found->records + found->lost == counts.recovered,
           "%llu records and %llu that are lost were inspected, and %llu are there",
           (unsigned long long)found->records, (unsigned long long)found->lost,
           (unsigned long long)counts.recovered);
    EXPECT(found->bytes == counts.recovered_bytes && found->bytes == counts.bytes,
           "%llu bytes were inspected, and %llu are there", (unsigned long long)found->bytes,
           (unsigned long long)counts.recovered_bytes);
}
