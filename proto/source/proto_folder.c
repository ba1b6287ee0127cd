/* Lists the .proto files of a folder and of the folders in it. */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "proto/source/proto_files.h"

/* A folder that was listed. Each one is listed once, so that links in a circle do no harm. */
struct seen {
    struct file_location place;
    struct seen *next;
};

struct listing {
    struct proto_files *files;
    struct seen *seen[256]; /* hash table by place.number */
    size_t entries;
};

static bool is_proto_name(const char *name)
{
    size_t length = strlen(name);
    return length > 6 && strcmp(name + length - 6, ".proto") == 0;
}

struct listed_entry {
    char *name;
    bool is_folder;
};

struct entries {
    struct listed_entry *list;
    size_t count, capacity;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct listed_entry *)a)->name, ((const struct listed_entry *)b)->name);
}

static bool entries_add(struct listing *listing, struct entries *entries,
                        const struct folder_entry *entry)
{
    if (entries->count == entries->capacity) {
        size_t wanted = entries->capacity == 0 ? 64 : entries->capacity * 2;
        struct listed_entry *grown = realloc(entries->list, wanted * sizeof *grown);
        if (grown == NULL)
            return proto_files_no_memory(listing->files);
        entries->list = grown;
        entries->capacity = wanted;
    }
    struct growing_arena *memory = &listing->files->memory;
    char *name = growing_arena_text(memory, entry->name, strlen(entry->name));
    if (name == NULL)
        return proto_files_no_memory(listing->files);
    entries->list[entries->count++] = (struct listed_entry){name, entry->is_folder};
    return true;
}

static bool entries_read(struct listing *listing, const char *path, struct entries *entries)
{
    struct folder_entry entry;
    struct folder *folder = folder_open(path);
    if (folder == NULL)
        return proto_files_refuse(listing->files, "the folder %s cannot be read", path);
    bool good = true;
    while (good && folder_next(folder, &entry)) {
        if (++listing->entries > PROTO_FOLDER_ENTRIES) {
            good = proto_files_refuse(listing->files,
                                      "more than %zu files and folders in it and below; name a "
                                      "smaller folder",
                                      PROTO_FOLDER_ENTRIES);
            break;
        }
        if (entry.name[0] == '.' || (entry.is_file && !is_proto_name(entry.name)))
            continue;
        good = entries_add(listing, entries, &entry);
    }
    folder_close(folder);
    if (good && entries->count != 0)
        qsort(entries->list, entries->count, sizeof *entries->list, by_name);
    return good;
}

/* Returns true if the folder was listed before. Otherwise notes it as listed. */
static bool is_seen(struct listing *listing, const char *path, bool *failed)
{
    struct file_location place;
    *failed = false;
    if (!file_location_find(path, &place)) {
        *failed = true;
        return proto_files_refuse(listing->files, "the folder %s cannot be read", path);
    }
    struct seen **bucket = &listing->seen[place.number % 256];
    for (const struct seen *at = *bucket; at != NULL; at = at->next)
        if (file_location_same(&at->place, &place))
            return true;
    struct seen *added = growing_arena_allocate(&listing->files->memory, 1, sizeof *added);
    if (added == NULL) {
        *failed = true;
        return proto_files_no_memory(listing->files);
    }
    *added = (struct seen){place, *bucket};
    *bucket = added;
    return false;
}

static char *inner_path(struct listing *listing, const char *folder, const char *name)
{
    size_t size = strlen(folder);
    size_t length = strlen(name);
    char *path = growing_arena_allocate(&listing->files->memory, size + length + 2, 1);
    if (path == NULL) {
        proto_files_no_memory(listing->files);
        return NULL;
    }
    memcpy(path, folder, size);
    if (size != 0 && folder[size - 1] != '/')
        path[size++] = '/';
    memcpy(path + size, name, length);
    return path;
}

static bool add_listed(struct listing *listing, const char *folder, const char *name)
{
    bool failed;
    struct proto_file *file =
        proto_files_get(listing->files, folder, strlen(folder), name, &failed);
    if (file != NULL)
        file->listed = true;
    return !failed;
}

/* The recursion is as deep as the folders, at most PROTO_FOLDER_DEPTH. */
static bool list_folder(struct listing *listing, const char *path, size_t depth)
{
    struct entries entries = {.count = 0};
    bool failed;
    if (is_seen(listing, path, &failed))
        return true;
    if (failed)
        return false;
    if (depth == PROTO_FOLDER_DEPTH)
        return proto_files_refuse(listing->files, "more than %zu folders inside each other",
                                  PROTO_FOLDER_DEPTH);
    bool good = entries_read(listing, path, &entries);
    for (size_t i = 0; good && i < entries.count; i++) {
        const struct listed_entry *entry = &entries.list[i];
        char *inner = inner_path(listing, path, entry->name);
        if (inner == NULL)
            good = false;
        else if (entry->is_folder || folder_is_readable(inner))
            good = list_folder(listing, inner, depth + 1);
        else if (is_proto_name(entry->name))
            good = add_listed(listing, path, entry->name);
    }
    free(entries.list);
    return good;
}

bool proto_folder_list(struct proto_files *files)
{
    struct listing listing = {.files = files};
    if (!list_folder(&listing, files->base, 0))
        return false;
    return files->count != 0 ||
           proto_files_refuse(files, "no .proto file in this folder or below it");
}
