/*
 * Keeps the table of .proto files. A file that exists is added when it is searched for the first
 * time.
 */
#include "proto/source/proto_files.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/platform/file_system.h"
#include "collector/platform/input_file.h"

#define FIRST_TEXT ((size_t)64 * 1024)

bool proto_files_refuse(struct proto_files *files, const char *format, ...)
{
    char text[400];
    char shown[sizeof text]; /* names of files are arbitrary bytes */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    copy_printable(shown, sizeof shown, text, strlen(text));
    error_set(files->error, EXIT_CODE_CONFIG, "%s: %s", files->given, shown);
    return false;
}

bool proto_files_no_memory(struct proto_files *files)
{
    error_set(files->error, EXIT_CODE_INTERNAL, "%s: out of memory", files->given);
    return false;
}

static bool make_probe(struct proto_files *files, const char *folder, size_t size, const char *name)
{
    size_t length = strlen(name);
    bool ends = size != 0 && folder[size - 1] == '/'; /* a root ends with a slash */
    if (size + length + 2 > files->probe_size) {
        char *grown = realloc(files->probe, 2 * (size + length + 2));
        if (grown == NULL)
            return proto_files_no_memory(files);
        files->probe = grown;
        files->probe_size = 2 * (size + length + 2);
    }
    memcpy(files->probe, folder, size);
    files->probe[size] = '/';
    memcpy(files->probe + size + !ends, name, length + 1);
    return true;
}

/* --- the table -------------------------------------------------------------------------------- */

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
static size_t bucket_of(const char *path)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *path != '\0'; path++)
        hash = (hash ^ (unsigned char)*path) * UINT64_C(1099511628211);
    return (size_t)((hash ^ hash >> 32) % PROTO_FILES_OF_BUCKETS);
}

/* Returns true if there is a file or a folder with this path. Follows links. */
static bool file_exists(const char *path)
{
    struct file_location place;
    return file_location_find(path, &place) && place.name[0] == '\0';
}

static bool load_text(const char *path, size_t most, char **text, size_t *size, struct error *error)
{
    *text = NULL;
    for (size_t capacity = FIRST_TEXT;; capacity *= 4) {
        free(*text);
        *text = malloc(capacity);
        if (*text == NULL) {
            error_no_memory(error);
            return false;
        }
        if (input_load(path, *text, capacity, size, error) != 0)
            return false;
        if (*size < capacity || capacity > most)
            return true;
    }
}

static bool make_room(struct proto_files *files)
{
    if (files->count < files->capacity)
        return true;
    size_t wanted = files->capacity == 0 ? 64 : files->capacity * 2;
    struct proto_file **grown = realloc(files->files, wanted * sizeof(struct proto_file *));
    if (grown == NULL)
        return proto_files_no_memory(files);
    files->files = grown;
    files->capacity = wanted;
    return true;
}

static bool read_head(struct proto_files *files, struct proto_file *file)
{
    char *text;
    size_t size;
    struct error reason;
    bool good = load_text(file->path, PROTO_BYTES_MAX - files->bytes, &text, &size, &reason);
    if (!good && reason.code == EXIT_CODE_INTERNAL)
        proto_files_no_memory(files);
    else if (!good)
        proto_files_refuse(files, "%s", reason.text);
    if (good && size > PROTO_BYTES_MAX - files->bytes)
        good = proto_files_refuse(files,
                                  "its .proto files and their imports have more than %zu MiB; name "
                                  "a smaller folder, or make a descriptor set",
                                  PROTO_BYTES_MAX >> 20);
    else if (good)
        good = proto_head_read(text, size, &files->memory, &file->head) ||
               proto_files_no_memory(files);
    files->bytes += good ? size : 0;
    free(text);
    return good;
}

static struct proto_file *add(struct proto_files *files, const char *path)
{
    if (files->count == PROTO_FILES_MAX) {
        proto_files_refuse(files,
                           "more than %zu .proto files, with their imports; name a smaller folder, "
                           "or make a descriptor set",
                           PROTO_FILES_MAX);
        return NULL;
    }
    struct proto_file *added = growing_arena_allocate(&files->memory, 1, sizeof *added);
    char *copy = growing_arena_text(&files->memory, path, strlen(path));
    if (added == NULL || copy == NULL) {
        proto_files_no_memory(files);
        return NULL;
    }
    added->path = copy;
    if (!make_room(files) || !read_head(files, added))
        return NULL;
    struct proto_file **bucket = &files->buckets[bucket_of(path)];
    added->chain = *bucket;
    *bucket = added;
    files->files[files->count++] = added;
    return added;
}

struct proto_file *proto_files_get(struct proto_files *files, const char *folder, size_t size,
                                   const char *name, bool *failed)
{
    *failed = !make_probe(files, folder, size, name);
    if (*failed)
        return NULL;
    const char *path = files->probe;
    for (struct proto_file *at = files->buckets[bucket_of(path)]; at != NULL; at = at->chain)
        if (strcmp(at->path, path) == 0)
            return at;
    if (!file_exists(path) || folder_is_readable(path))
        return NULL;
    struct proto_file *added = add(files, path);
    *failed = added == NULL;
    return added;
}
