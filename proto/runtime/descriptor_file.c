#include "proto/runtime/descriptor_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/child.h"
#include "collector/platform/file_system.h"
#include "collector/platform/input_file.h"
#include "proto/source/protoc.h"

#define SET_MAX ((size_t)64 * 1024 * 1024) /* the most bytes of a descriptor set */

static int descriptor_refuse(struct error *error, const char *path, const char *what)
{
    error_set(error, EXIT_CODE_CONFIG, "%s: %s", path, what);
    return -1;
}

/* --- a descriptor set ------------------------------------------------------------------------- */

static int grow(struct process_output *bytes, size_t *capacity, const char *path,
                struct error *error)
{
    if (bytes->size < *capacity)
        return 0;
    if (*capacity >= SET_MAX)
        return descriptor_refuse(error, path, "too large for a descriptor set");
    size_t wanted = *capacity == 0 ? 65536 : *capacity * 2;
    unsigned char *grown = realloc(bytes->data, wanted);
    if (grown == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "%s: out of memory", path);
        return -1;
    }
    bytes->data = grown;
    *capacity = wanted;
    return 0;
}

static int read_all(struct input_file *file, const char *path, struct process_output *bytes,
                    struct error *error)
{
    size_t capacity = 0;
    for (;;) {
        size_t got = 0;
        struct error reason;
        if (grow(bytes, &capacity, path, error) != 0)
            return -1;
        switch (input_file_read(file, bytes->data + bytes->size, capacity - bytes->size, &got,
                                &reason)) {
        case INPUT_BYTES:
            bytes->size += got;
            break;
        case INPUT_WOULD_WAIT:
        case INPUT_END:
        case INPUT_CANCELLED:
            return 0;
        case INPUT_FAILED:
            return descriptor_refuse(error, path, reason.text);
        }
    }
}

static int read_set(const char *path, struct process_output *bytes, struct error *error)
{
    struct input_file *file;
    struct error reason;
    if (input_file_open(path, &file, &reason) != 0) {
        error_set(error, reason.code == EXIT_CODE_INTERNAL ? reason.code : EXIT_CODE_CONFIG, "%s",
                  reason.text);
        return -1;
    }
    /* The main thread reads the file, and must not block. */
    int result = input_file_is_live(file)
                     ? descriptor_refuse(error, path, "a pipe or a device, not a file")
                     : read_all(file, path, bytes, error);
    input_file_close(file);
    return result;
}

/* --- .proto files ----------------------------------------------------------------------------- */

static bool is_proto(const char *path)
{
    size_t length = strlen(path);
    return length > 6 && strcmp(path + length - 6, ".proto") == 0;
}

static int compile(const char *path, bool is_folder, struct process_output *bytes,
                   struct error *error)
{
    struct error reason;
    /* From a pipe, protoc would wait for a writer. */
    if (is_folder || input_load_check(path, &reason) == 0)
        return protoc_compile(path, is_folder, SET_MAX, bytes, error);
    error_set(error, EXIT_CODE_CONFIG, "%s", reason.text);
    return -1;
}

int descriptor_file_load(const char *path, struct type_set **out, struct error *error)
{
    struct process_output bytes = {0};
    bool is_folder = folder_is_readable(path);
    int result = is_folder || is_proto(path) ? compile(path, is_folder, &bytes, error)
                                             : read_set(path, &bytes, error);
    if (result == 0)
        result = type_set_load(path, bytes.data, bytes.size, NULL, out, error);
    free(bytes.data);
    return result;
}
