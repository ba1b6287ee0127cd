#include "proto/runtime/descriptor_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/child.h"
#include "collector/platform/file_system.h"
#include "collector/platform/input_file.h"

#define SET_MAX        ((size_t)64 * 1024 * 1024) /* largest size of a descriptor set in bytes */
#define PROTOC_TIME_NS INT64_C(10000000000)

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
    /* The main thread reads the file and must not block. */
    int result = input_file_is_live(file)
                     ? descriptor_refuse(error, path, "a pipe or a device, not a file")
                     : read_all(file, path, bytes, error);
    input_file_close(file);
    return result;
}

/* --- a .proto file ---------------------------------------------------------------------------- */

static bool is_proto(const char *path)
{
    size_t length = strlen(path);
    return length > 6 && strcmp(path + length - 6, ".proto") == 0;
}

/* Returns an option and its value as one text, which the caller frees; NULL if memory is short. */
static char *make_option(const char *option, const char *value, size_t length)
{
    size_t option_length = strlen(option);
    char *text = malloc(option_length + length + 1);
    if (text == NULL)
        return NULL;
    memcpy(text, option, option_length);
    memcpy(text + option_length, value, length);
    text[option_length + length] = '\0';
    return text;
}

/* Returns protoc's option for the folder of the file. The folder is a prefix of the file's path. */
static char *folder_option(const char *path)
{
    size_t length = file_path_folder(path);
    return make_option("--proto_path=", length == 0 ? "." : path, length == 0 ? 1 : length);
}

static enum process_result run_protoc(const char *path, const struct process_target *target,
                                      struct process_output *bytes, struct error *reason)
{
    char *folder = folder_option(path);
    char *out = make_option("--descriptor_set_out=", target->path, strlen(target->path));
    const char *arguments[] = {"protoc", "--include_imports", out, folder, path, NULL};
    static const struct process_limits limits = {SET_MAX, PROTOC_TIME_NS};
    enum process_result result = PROCESS_FAILED;
    if (folder != NULL && out != NULL)
        result = process_run(arguments, &limits, bytes, reason);
    else
        error_no_memory(reason);
    free(folder);
    free(out);
    return result;
}

/* Reads protoc's output from a file. */
static int read_target(const char *path, struct process_output *bytes, struct error *error)
{
    free(bytes->data);
    *bytes = (struct process_output){0};
    return read_set(path, bytes, error);
}

static int compile(const char *path, struct process_output *bytes, struct error *error)
{
    struct process_target target;
    struct error reason;
    /* If the path is a pipe, protoc would wait for a writer. */
    if (input_load_check(path, &reason) != 0) {
        error_set(error, EXIT_CODE_CONFIG, "%s", reason.text);
        return -1;
    }
    if (!process_target_make(&target, &reason)) {
        error_set(error, reason.code, "%s: %s", path, reason.text);
        return -1;
    }
    enum process_result result = run_protoc(path, &target, bytes, &reason);
    int read = 0;
    if (result == PROCESS_DONE && target.is_file)
        read = read_target(target.path, bytes, error);
    process_target_remove(&target);
    switch (result) {
    case PROCESS_DONE:
        return read;
    case PROCESS_NOT_FOUND:
        return descriptor_refuse(error, path,
                                 "a .proto file needs protoc, which is not installed; give a "
                                 "descriptor set instead");
    case PROCESS_FAILED:
        break;
    }
    error_set(error, reason.code, "%s: protoc: %s (imports are searched in the folder of the file)",
              path, reason.text);
    return -1;
}

int descriptor_file_read(const char *path, struct descriptor_file *file, struct error *error)
{
    struct process_output bytes = {0};
    int result = (is_proto(path) ? compile : read_set)(path, &bytes, error);
    *file = (struct descriptor_file){path, bytes.data, bytes.size};
    return result;
}

void descriptor_file_free(struct descriptor_file *file)
{
    free(file->data);
    *file = (struct descriptor_file){0};
}

int descriptor_file_types(const struct descriptor_file *file, const struct field_change *changes,
                          size_t change_count, struct type_set **out, struct error *error)
{
    return type_set_load_changed(file->path, file->data, file->size, NULL, changes, change_count,
                                 out, error);
}

int descriptor_file_load(const char *path, struct type_set **out, struct error *error)
{
    struct descriptor_file file;
    int result = descriptor_file_read(path, &file, error);
    if (result == 0)
        result = descriptor_file_types(&file, NULL, 0, out, error);
    descriptor_file_free(&file);
    return result;
}
