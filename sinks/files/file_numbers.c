#include "sinks/files/file_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/file_system.h"
#include "sinks/files/path_template.h"

/* Number of paths in a set; the last used path is first. The hash of a path selects its set. */
#define SET_SIZE 4

/*
 * The minimum number of sets. There are at least as many sets as paths, so more than SET_SIZE paths
 * in one set are rare.
 */
#define FEWEST_SETS 64

struct numbered {
    uint64_t hash;
    int64_t next; /* 0: unused */
};

struct file_numbers {
    size_t sets; /* number of sets, a power of two */
    struct numbered numbered[];
};

static size_t sets_for(size_t paths)
{
    size_t sets = FEWEST_SETS;
    while (sets < paths)
        sets *= 2;
    return sets;
}

size_t file_numbers_memory(size_t paths)
{
    return sizeof(struct file_numbers) + sets_for(paths) * SET_SIZE * sizeof(struct numbered);
}

struct file_numbers *file_numbers_create(size_t paths)
{
    struct file_numbers *numbers = calloc(1, file_numbers_memory(paths));
    if (numbers != NULL)
        numbers->sets = sets_for(paths);
    return numbers;
}

void file_numbers_destroy(struct file_numbers *numbers)
{
    free(numbers);
}

/*
 * Returns the path's entry, which becomes the first of its set. A new path replaces the least
 * recently used one. If two paths have the same hash, a number may be skipped or already be in use,
 * but no file is replaced.
 */
static struct numbered *entry_of(struct file_numbers *numbers, const char *path)
{
    uint64_t hash = file_path_hash(path);
    struct numbered *set =
        &numbers->numbered[((hash ^ hash >> 32) & (numbers->sets - 1)) * SET_SIZE];
    size_t at = 0;
    while (at < SET_SIZE - 1 && set[at].hash != hash)
        at++;
    struct numbered found = set[at];
    if (found.hash != hash)
        found = (struct numbered){.hash = hash};
    memmove(set + 1, set, at * sizeof *set);
    set[0] = found;
    return set;
}

int64_t file_numbers_next(struct file_numbers *numbers, const char *path)
{
    int64_t next = entry_of(numbers, path)->next;
    return next > PATH_NUMBER_MAX ? 0 : next;
}

void file_numbers_note(struct file_numbers *numbers, const char *path, int64_t number)
{
    RULE(number >= 0 && number <= PATH_NUMBER_MAX, "a noted number can be in a name");
    struct numbered *entry = entry_of(numbers, path);
    if (number >= entry->next)
        entry->next = number + 1;
}
