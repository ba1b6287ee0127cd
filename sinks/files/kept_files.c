#include "sinks/files/kept_files.h"

#include <stdlib.h>
#include <string.h>

#include "collector/log/log.h"
#include "collector/platform/file_system.h"

/* Number of failed removals after which the remaining old files are left for the next time. */
#define MOST_STUCK 16

/* Time after which removing a file is tried again. */
#define STUCK_NS (INT64_C(60) * 1000000000)

/* A complete file that may have to be removed later. */
struct kept {
    char *name;       /* the allocation has the two texts below, too */
    const char *key;  /* the path without its times; equal for files with the same values */
    const char *bare; /* the path without a number */
    int64_t interval; /* number of the rotate_interval in which it was begun */
    int64_t order_ns; /* larger for newer files, even if the clock was set back */
    int64_t modified_ns;
    uint64_t size;
    int64_t period_ns; /* order_ns of the newest file of its period, while counting periods */
    bool by_period;    /* the sink rotates by time */
    bool stuck;        /* it could not be removed, and that was logged */
    bool gone;         /* removed, and to be dropped from the list */
};

struct kept_files {
    const struct path_template *path;
    const struct file_options *options;
    int64_t newest_ns; /* maximum order_ns */
    int64_t expiry_ns; /* no file exceeds keep_time before this time */
    uint64_t total;    /* bytes of all files */
    struct kept *kept; /* unordered */
    struct kept **chosen;
    size_t count;
    size_t capacity; /* of both arrays, in entries */
};

size_t kept_files_memory(void)
{
    return sizeof(struct kept_files);
}

struct kept_files *kept_files_create(const struct path_template *path,
                                     const struct file_options *options)
{
    struct kept_files *files = calloc(1, sizeof *files);
    if (files == NULL)
        return NULL;
    files->path = path;
    files->options = options;
    files->newest_ns = INT64_MIN;
    files->expiry_ns = INT64_MAX;
    return files;
}

void kept_files_destroy(struct kept_files *files)
{
    if (files == NULL)
        return;
    for (size_t i = 0; i < files->count; i++)
        free(files->kept[i].name);
    free(files->kept);
    free(files->chosen);
    free(files);
}

bool kept_files_are_limited(const struct kept_files *files)
{
    const struct file_options *options = files->options;
    return options->keep != 0 || options->keep_time != 0 || options->keep_size != 0;
}

/* --- taking note ------------------------------------------------------------------------------ */

static bool make_room(struct kept_files *files)
{
    if (files->count < files->capacity)
        return true;
    size_t capacity = files->capacity == 0 ? 16 : files->capacity * 2;
    struct kept *kept = realloc(files->kept, capacity * sizeof *kept);
    if (kept != NULL)
        files->kept = kept;
    struct kept **chosen = realloc(files->chosen, capacity * sizeof(struct kept *));
    if (chosen != NULL)
        files->chosen = chosen;
    if (kept == NULL || chosen == NULL)
        return false;
    files->capacity = capacity;
    return true;
}

static bool copy_texts(struct kept *kept, const struct kept_file *file)
{
    size_t name_size = strlen(file->name) + 1;
    size_t key_size = strlen(file->match->key) + 1;
    size_t bare_size = strlen(file->match->bare) + 1;
    kept->name = malloc(name_size + key_size + bare_size);
    if (kept->name == NULL)
        return false;
    kept->key = memcpy(kept->name + name_size, file->match->key, key_size);
    kept->bare = memcpy(kept->name + name_size + key_size, file->match->bare, bare_size);
    memcpy(kept->name, file->name, name_size);
    return true;
}

static void expire_at(struct kept_files *files, int64_t time_ns)
{
    if (time_ns < files->expiry_ns)
        files->expiry_ns = time_ns;
}

static int64_t expiry_of(const struct kept_files *files, const struct kept *kept)
{
    int64_t time = (int64_t)files->options->keep_time;
    return time == 0 || kept->modified_ns > INT64_MAX - time ? INT64_MAX : kept->modified_ns + time;
}

/* Adds the file to the list. If out of memory, does nothing: then the file is never removed. */
static void note(struct kept_files *files, const struct kept_file *file, int64_t order_ns)
{
    const struct file_options *options = files->options;
    int64_t interval = (int64_t)options->rotate_interval;
    struct kept kept = {
        .interval = interval == 0 ? 0 : file->begun_ns / interval,
        .order_ns = order_ns,
        .modified_ns = file->modified_ns,
        .size = file->size,
        .by_period = interval != 0 || path_template_has_time(files->path),
    };
    if (!make_room(files) || !copy_texts(&kept, file))
        return;
    files->kept[files->count++] = kept;
    files->total += kept.size;
    if (order_ns > files->newest_ns)
        files->newest_ns = order_ns;
    expire_at(files, expiry_of(files, &kept));
}

void kept_files_found(struct kept_files *files, const struct kept_file *file)
{
    if (kept_files_are_limited(files))
        note(files, file, file->modified_ns);
}

/* --- removing --------------------------------------------------------------------------------- */

static void sweep(struct kept_files *files)
{
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++) {
        struct kept *kept = &files->kept[i];
        if (!kept->gone) {
            files->kept[count++] = *kept;
            continue;
        }
        files->total -= kept->size;
        free(kept->name);
    }
    files->count = count;
}

/* Removes the file. A failure is logged once for each file. */
static bool remove_kept(struct kept *kept, const char *rule)
{
    kept->gone = folder_remove_file(kept->name);
    if (!kept->gone && !kept->stuck)
        log_line(LOG_WARNING, "%s: cannot be removed, though %s= does not keep it; trying again",
                 kept->name, rule);
    kept->stuck = !kept->gone;
    return kept->gone;
}

/* Chooses the files with this key, or all files if `key` is NULL. */
static size_t choose(struct kept_files *files, const char *key)
{
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++)
        if (key == NULL || file_path_same(files->kept[i].key, key))
            files->chosen[count++] = &files->kept[i];
    return count;
}

static void forget_removed(struct kept_files *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        files->chosen[i]->gone = !folder_has(files->chosen[i]->name);
    sweep(files);
}

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_periods(const struct kept *a, const struct kept *b)
{
    if (!a->by_period)
        return strcmp(a->name, b->name);
    int bare = strcmp(a->bare, b->bare);
    return bare != 0 ? bare : compare_numbers(a->interval, b->interval);
}

static int by_period(const void *a, const void *b)
{
    return compare_periods(*(const struct kept *const *)a, *(const struct kept *const *)b);
}

static int by_age_of_period(const void *a, const void *b)
{
    const struct kept *one = *(const struct kept *const *)a;
    const struct kept *other = *(const struct kept *const *)b;
    int age = compare_numbers(one->period_ns, other->period_ns);
    return age != 0 ? age : compare_periods(one, other);
}

static int by_age(const void *a, const void *b)
{
    const struct kept *one = *(const struct kept *const *)a;
    const struct kept *other = *(const struct kept *const *)b;
    return compare_numbers(one->order_ns, other->order_ns);
}

/* --- keep= ------------------------------------------------------------------------------------ */

/*
 * Returns how many of the selected files, from the first on, are of the same period. The files of a
 * period are adjacent.
 */
static size_t same_period(struct kept *const *chosen, size_t count)
{
    size_t same = 1;
    while (same < count && compare_periods(chosen[0], chosen[same]) == 0)
        same++;
    return same;
}

/*
 * Sorts the selected files by the age of their periods, the oldest first. Returns the number of
 * periods.
 */
static size_t sort_periods(struct kept **chosen, size_t count)
{
    size_t periods = 0;
    qsort(chosen, count, sizeof(struct kept *), by_period);
    for (size_t i = 0, same; i < count; i += same, periods++) {
        int64_t newest = INT64_MIN;
        same = same_period(chosen + i, count - i);
        for (size_t k = 0; k < same; k++)
            if (chosen[i + k]->order_ns > newest)
                newest = chosen[i + k]->order_ns;
        for (size_t k = 0; k < same; k++)
            chosen[i + k]->period_ns = newest;
    }
    qsort(chosen, count, sizeof(struct kept *), by_age_of_period);
    return periods;
}

static void keep_periods(struct kept_files *files, const char *key)
{
    uint64_t keep = files->options->keep;
    size_t count = choose(files, key);
    if (keep == 0 || count <= keep)
        return;
    forget_removed(files, count);
    count = choose(files, key);
    size_t periods = sort_periods(files->chosen, count);
    size_t stuck = 0;
    for (size_t i = 0, same; periods > keep && stuck < MOST_STUCK && i < count; i += same) {
        size_t stuck_before = stuck;
        same = same_period(files->chosen + i, count - i);
        for (size_t k = 0; k < same && stuck < MOST_STUCK; k++)
            stuck += !remove_kept(files->chosen[i + k], "keep");
        periods -= stuck == stuck_before;
    }
    sweep(files);
}

/* --- keep_size= ------------------------------------------------------------------------------- */

/* Removes the oldest files until the rest is small enough. The newest file is never removed. */
static void keep_bytes(struct kept_files *files)
{
    uint64_t most = files->options->keep_size;
    if (most == 0 || files->total <= most)
        return;
    forget_removed(files, choose(files, NULL));
    size_t count = choose(files, NULL);
    uint64_t total = files->total;
    size_t stuck = 0;
    qsort(files->chosen, count, sizeof(struct kept *), by_age);
    for (size_t i = 0; i + 1 < count && total > most && stuck < MOST_STUCK; i++) {
        if (remove_kept(files->chosen[i], "keep_size"))
            total -= files->chosen[i]->size;
        else
            stuck++;
    }
    sweep(files);
}

/* --- keep_time= ------------------------------------------------------------------------------- */

void kept_files_expire(struct kept_files *files, int64_t now_ns)
{
    size_t stuck = 0;
    if (now_ns < files->expiry_ns)
        return;
    files->expiry_ns = INT64_MAX;
    for (size_t i = 0; i < files->count; i++) {
        struct kept *kept = &files->kept[i];
        int64_t expiry = expiry_of(files, kept);
        if (expiry <= now_ns && (stuck == MOST_STUCK || !remove_kept(kept, "keep_time"))) {
            expiry = now_ns + STUCK_NS;
            stuck += stuck < MOST_STUCK;
        }
        if (!kept->gone)
            expire_at(files, expiry);
    }
    sweep(files);
}

/* Forgets the earlier file with this name, which another program has removed. */
static void forget_name(struct kept_files *files, const char *name)
{
    for (size_t i = 0; i < files->count; i++)
        files->kept[i].gone = file_path_same(files->kept[i].name, name);
    sweep(files);
}

void kept_files_add(struct kept_files *files, const struct kept_file *file)
{
    if (!kept_files_are_limited(files))
        return;
    forget_name(files, file->name);
    /* The new file is the newest one, even if the clock was set back. */
    bool newest = file->modified_ns > files->newest_ns;
    note(files, file, newest ? file->modified_ns : files->newest_ns + 1);
    kept_files_expire(files, file->modified_ns);
    keep_periods(files, file->match->key);
    keep_bytes(files);
}
