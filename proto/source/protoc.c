#include "proto/source/protoc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "collector/platform/input_file.h"
#include "proto/source/proto_files.h"

/*
 * Time limits for compiling, and for asking protoc's version. A reload may need both, so their sum
 * is below WatchdogSec (30 s) in our systemd unit.
 */
#define PROTOC_TIME_NS    INT64_C(20000000000)
#define PROTOC_VERSION_NS INT64_C(5000000000)

/* --- arguments -------------------------------------------------------------------------------- */

static char *make_option(struct proto_files *files, const char *option, const char *value)
{
    size_t length = strlen(option);
    size_t size = strlen(value);
    char *text = growing_arena_allocate(&files->memory, length + size + 1, 1);
    if (text == NULL) {
        proto_files_no_memory(files);
        return NULL;
    }
    memcpy(text, option, length);
    memcpy(text + length, value, size);
    return text;
}

/*
 * Makes protoc's option for a folder, "--proto_path=VIRTUAL=FOLDER" with an empty VIRTUAL. Without
 * the second '=', protoc would split a path that contains a '='.
 */
static char *root_option(struct proto_files *files, const char *root)
{
    if (strchr(root, file_path_list_separator) == NULL)
        return make_option(files, "--proto_path==", root);
    proto_files_refuse(files, "protoc cannot read the folder %s, as its path contains \"%c\"", root,
                       file_path_list_separator);
    return NULL;
}

/*
 * Refuses names that begin with '-' or '@': protoc would read them as an option or as a file with
 * arguments.
 */
static bool check_names(struct proto_files *files)
{
    for (size_t i = 0; i < files->listed; i++)
        if (strchr("-@", files->files[i]->name[0]) != NULL)
            return proto_files_refuse(files,
                                      "protoc cannot read %s, as its name begins with \"%c\"",
                                      files->files[i]->path, files->files[i]->name[0]);
    return true;
}

static size_t size_of(const char *const *arguments)
{
    size_t size = 0;
    for (; *arguments != NULL; arguments++)
        size += strlen(*arguments) + 3; /* its blank and quotation marks */
    return size;
}

/* Returns the list of arguments, which the caller frees, or NULL with the error filled. */
static const char **make_arguments(struct proto_files *files, const char *target)
{
    const char **arguments = malloc((files->root_count + files->listed + 5) * sizeof(const char *));
    if (arguments == NULL) {
        proto_files_no_memory(files);
        return NULL;
    }
    size_t count = 0;
    arguments[count++] = "protoc";
    arguments[count++] = "--include_imports";
    arguments[count++] = make_option(files, "--descriptor_set_out=", target);
    bool good = arguments[count - 1] != NULL;
    for (size_t i = 0; good && i < files->root_count; i++) {
        arguments[count++] = root_option(files, files->roots[i]);
        good = arguments[count - 1] != NULL;
    }
    for (size_t i = 0; i < files->listed; i++)
        arguments[count++] = files->files[i]->name;
    arguments[count] = NULL;
    if (good && size_of(arguments) > process_arguments_most)
        good = proto_files_refuse(files, "too many .proto files for a command line of this system; "
                                         "name a smaller folder, or make a descriptor set");
    if (good)
        return arguments;
    free(arguments);
    return NULL;
}

/* --- what protoc reports ---------------------------------------------------------------------- */

/* Returns true if the text begins with the line of the edition, or is about an edition. */
static bool is_about_edition(const char *text, const struct proto_file *file)
{
    char line[32];
    snprintf(line, sizeof line, "%zu:", file->head.edition_line);
    return strncmp(text, line, strlen(line)) == 0 || strstr(text, "dition") != NULL;
}

/*
 * Returns the file whose edition protoc does not support, according to its error "NAME:LINE:COLUMN:
 * REASON" or "NAME: REASON". Returns NULL for another error.
 */
static const struct proto_file *find_new_edition(const struct proto_files *files, const char *text)
{
    for (const char *colon = strchr(text, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
        const struct proto_file *file = proto_files_named(files, text, (size_t)(colon - text));
        if (file != NULL)
            return file->head.edition[0] != '\0' && is_about_edition(colon + 1, file) ? file : NULL;
    }
    return NULL;
}

/* Writes "protoc 3.21.12", or "protoc" if the version cannot be found. */
static void put_version(char *text, size_t size)
{
    static const char *const arguments[] = {"protoc", "--version", NULL};
    static const struct process_limits limits = {4096, PROTOC_VERSION_NS};
    static const char before[] = "libprotoc ";
    struct process_output said;
    struct error unused;
    snprintf(text, size, "protoc");
    if (process_run(arguments, &limits, &said, &unused) == PROCESS_DONE &&
        said.size > sizeof before - 1 && memcmp(said.data, before, sizeof before - 1) == 0) {
        const char *version = (const char *)said.data + sizeof before - 1;
        size_t length = 0;
        while (length < said.size - (sizeof before - 1) && length < 20 &&
               strchr("0123456789.", version[length]) != NULL && version[length] != '\0')
            length++;
        snprintf(text, size, "protoc %.*s", (int)length, version);
    }
    free(said.data);
}

static int report(struct proto_files *files, const struct error *reason)
{
    char version[40];
    const struct proto_file *newer = find_new_edition(files, reason->text);
    const char *advice = "";
    if (strstr(reason->text, "File not found") != NULL)
        advice = " (imports are searched in the folder of the file and in the folders above it)";
    else if (files->listed > 1 && strstr(reason->text, "has not ended") != NULL)
        advice = "; name a smaller folder, or make a descriptor set";
    if (newer != NULL) {
        put_version(version, sizeof version);
        proto_files_refuse(files,
                           "%s does not know edition = \"%s\" of %s; make a descriptor set with a "
                           "newer protoc: protoc --include_imports --descriptor_set_out=FILE.desc "
                           "%s",
                           version, newer->head.edition, newer->name, files->files[0]->name);
        return -1;
    }
    proto_files_refuse(files, "protoc: %s%s", reason->text, advice);
    files->error->code = reason->code;
    return -1;
}

/* --- running protoc --------------------------------------------------------------------------- */

static bool read_target(struct proto_files *files, const char *path, size_t most,
                        struct process_output *set)
{
    struct error reason;
    size_t capacity = 65536;
    for (;; capacity *= 4) {
        free(set->data);
        *set = (struct process_output){.data = malloc(capacity)};
        if (set->data == NULL)
            return proto_files_no_memory(files);
        if (input_load(path, set->data, capacity, &set->size, &reason) != 0)
            return proto_files_refuse(files, "%s", reason.text);
        if (set->size > most)
            return proto_files_refuse(files, "its descriptor set has more than %zu bytes", most);
        if (set->size < capacity)
            return true;
    }
}

static int run(struct proto_files *files, size_t most, struct process_output *set)
{
    struct process_target target;
    struct error reason;
    const struct process_limits limits = {most, PROTOC_TIME_NS};
    if (!check_names(files))
        return -1;
    if (!process_target_make(&target, &reason)) {
        error_set(files->error, reason.code, "%s: %s", files->given, reason.text);
        return -1;
    }
    const char **arguments = make_arguments(files, target.path);
    enum process_result result = PROCESS_FAILED;
    if (arguments != NULL)
        result = process_run(arguments, &limits, set, &reason);
    bool read =
        result != PROCESS_DONE || !target.is_file || read_target(files, target.path, most, set);
    process_target_remove(&target);
    if (arguments == NULL)
        return -1;
    free(arguments);
    switch (result) {
    case PROCESS_DONE:
        return read ? 0 : -1;
    case PROCESS_NOT_FOUND:
        proto_files_refuse(files, "a .proto file needs protoc, which is not installed; give a "
                                  "descriptor set instead");
        return -1;
    case PROCESS_FAILED:
        break;
    }
    return report(files, &reason);
}

int protoc_compile(const char *path, bool is_folder, size_t most, struct process_output *set,
                   struct error *error)
{
    struct proto_files *files = calloc(1, sizeof *files);
    *set = (struct process_output){0};
    if (files == NULL)
        return error_no_memory(error);
    int result = proto_files_open(path, is_folder, files, error);
    if (result == 0)
        result = run(files, most, set);
    proto_files_clear(files);
    free(files);
    return result;
}
