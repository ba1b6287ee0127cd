#include "sinks/finished_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/folder.h"
#include "collector/log.h"
#include "collector/thread.h"

/* One that may have to be removed some day. */
struct kept {
    char *name; /* behind its end stands the key: what its path has but for the time */
    const char *key;
    int64_t modified_ns;
};

struct finished_files {
    const struct path_template *path;
    uint64_t keep;
    int64_t newest_ns; /* of any that was noted */
    struct kept *kept; /* in no order */
    size_t count;
    size_t capacity;
};

struct finished_files *finished_files_create(const struct path_template *path, uint64_t keep)
{
    struct finished_files *files = calloc(1, sizeof *files);
    if (files == NULL)
        return NULL;
    files->path = path;
    files->keep = keep;
    files->newest_ns = INT64_MIN;
    return files;
}

void finished_files_destroy(struct finished_files *files)
{
    if (files == NULL)
        return;
    for (size_t i = 0; i < files->count; i++)
        free(files->kept[i].name);
    free(files->kept);
    free(files);
}

/* --- which stay ------------------------------------------------------------------------------- */

/* Where memory is short the file is not noted, and so stays. */
static void note(struct finished_files *files, const char *name, const char *key,
                 int64_t modified_ns)
{
    if (files->count == files->capacity) {
        size_t capacity = files->capacity == 0 ? 16 : files->capacity * 2;
        struct kept *grown = realloc(files->kept, capacity * sizeof *grown);
        if (grown == NULL)
            return;
        files->kept = grown;
        files->capacity = capacity;
    }
    size_t name_size = strlen(name) + 1;
    size_t key_size = strlen(key) + 1;
    char *texts = malloc(name_size + key_size);
    if (texts == NULL)
        return;
    memcpy(texts, name, name_size);
    memcpy(texts + name_size, key, key_size);
    files->kept[files->count++] = (struct kept){texts, texts + name_size, modified_ns};
    if (modified_ns > files->newest_ns)
        files->newest_ns = modified_ns;
}

static void remove_kept(struct finished_files *files, size_t at)
{
    struct kept *kept = &files->kept[at];
    if (!folder_remove_file(kept->name))
        log_line(LOG_WARNING,
                 "%s: cannot be removed, though more than keep=%" PRIu64 " files are there",
                 kept->name, files->keep);
    free(kept->name);
    files->kept[at] = files->kept[--files->count];
}

/* Removes the oldest of that key until no more than `keep` are left. */
static void trim(struct finished_files *files, const char *key)
{
    for (;;) {
        size_t oldest = files->count;
        uint64_t same = 0;
        for (size_t i = 0; i < files->count; i++) {
            if (strcmp(files->kept[i].key, key) != 0)
                continue;
            same++;
            if (oldest == files->count ||
                files->kept[i].modified_ns < files->kept[oldest].modified_ns)
                oldest = i;
        }
        if (same <= files->keep)
            return;
        remove_kept(files, oldest);
    }
}

bool finished_files_are_limited(const struct finished_files *files)
{
    return files->keep != 0;
}

void finished_files_found(struct finished_files *files, const struct found_file *file)
{
    if (files->keep != 0 && !file->part)
        note(files, file->path, file->match->key, file->modified_ns);
}

static void keep_new(struct finished_files *files, const char *name)
{
    struct path_match match;
    if (files->keep == 0 || !path_template_match(files->path, name, &match))
        return;
    /* The newest, also where the clock was set back. */
    int64_t now_ns = clock_wall_ns();
    note(files, name, match.key, now_ns > files->newest_ns ? now_ns : files->newest_ns + 1);
    trim(files, match.key);
}

/* --- names ------------------------------------------------------------------------------------ */

/* The number behind a name that begins with `base`: 0 for the name itself, -1: it is no such. */
static int64_t number_of(const char *name, const char *base)
{
    size_t length = strlen(base);
    if (strncmp(name, base, length) != 0)
        return -1;
    if (name[length] == '\0')
        return 0;
    uint32_t number = path_number(name + length);
    return number != 0 ? (int64_t)number : -1;
}

/*
 * One more than the highest number of that path's files; 0 where there are none. Behind
 * PATH_NUMBER_MAX it begins anew, and `*tries` numbers from there on have one that is free.
 */
static int64_t next_number(const char *path, int64_t *tries)
{
    char folder_name[FILE_NAME_SIZE];
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    size_t length = slash == path ? 1 : (size_t)(base - path) - (slash != NULL);
    memcpy(folder_name, slash == NULL ? "." : path, slash == NULL ? 1 : length);
    folder_name[slash == NULL ? 1 : length] = '\0';
    int64_t highest = -1;
    *tries = 1000; /* another program may be taking names, too */
    struct folder *folder = folder_open(folder_name);
    struct folder_entry entry;
    while (folder != NULL && folder_next(folder, &entry)) {
        int64_t number = number_of(entry.name, base);
        if (number > highest)
            highest = number;
        *tries += number >= 0;
    }
    folder_close(folder);
    return highest < PATH_NUMBER_MAX ? highest + 1 : 1;
}

static void put_name(char *name, const char *path, int64_t number)
{
    if (number == 0)
        snprintf(name, FILE_NAME_SIZE, "%s", path);
    else
        snprintf(name, FILE_NAME_SIZE, "%s.%" PRId64, path, number);
}

enum part_result finished_files_add(struct finished_files *files, struct part_file *part,
                                    const char *path, char *name, struct error *error)
{
    /* Who removes old files frees their names: then the folder has to be looked at first. */
    int64_t tries;
    int64_t number = files->keep != 0 ? next_number(path, &tries) : 0;
    put_name(name, path, number);
    enum part_result result = part_file_complete(part, name, error);
    if (result == PART_TAKEN) {
        number = next_number(path, &tries);
        for (int64_t last = number + tries; result == PART_TAKEN && number < last; number++) {
            put_name(name, path, number);
            result = part_file_complete(part, name, error);
        }
    }
    if (result == PART_TAKEN) {
        error_set(error, EXIT_CODE_IO, "no free name behind %s", path);
        result = PART_FAILED;
    }
    if (result == PART_DONE)
        keep_new(files, name);
    return result;
}
