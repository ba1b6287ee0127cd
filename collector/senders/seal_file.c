#include "collector/senders/seal_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/data_file.h"
#include "collector/platform/file_system.h"
#include "collector/platform/input_file.h"

#define SIZE_MOST ((uint64_t)128 << 20)

/* --- names and lock --------------------------------------------------------------------------- */

static char *with_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), more = strlen(suffix) + 1;
    char *made = malloc(length + more);
    if (made == NULL)
        return NULL;
    memcpy(made, path, length);
    memcpy(made + length, suffix, more);
    return made;
}

int seal_file_open(struct seal_file *file, const char *path, struct error *error)
{
    size_t size = strlen(path) + 2; /* room for "." if the name has no folder */
    *file = (struct seal_file){.path = with_suffix(path, ""),
                               .next = with_suffix(path, ".new"),
                               .lock_path = with_suffix(path, ".lock"),
                               .folder = malloc(size)};
    if (file->path == NULL || file->next == NULL || file->lock_path == NULL ||
        file->folder == NULL || !file_path_copy_folder(path, file->folder, size))
        return error_no_memory(error);
    return 0;
}

void seal_file_close(struct seal_file *file)
{
    if (file->lock != NULL)
        part_file_remove(file->lock, NULL);
    free(file->path);
    free(file->next);
    free(file->lock_path);
    free(file->folder);
    *file = (struct seal_file){0};
}

/* A lock file left by an earlier run is used again. */
int seal_file_lock(struct seal_file *file, struct error *error)
{
    struct error why = {.text = "it comes and goes"};
    const char *path = file->lock_path;
    enum part_result result =
        part_file_open_private(path, file_path_folder(path), &file->lock, &why);
    if (result == PART_TAKEN)
        result = part_file_open_left(path, &file->lock, &why);
    if (result == PART_DONE)
        return 0;
    file->lock = NULL;
    if (result == PART_LOCKED)
        error_set(error, EXIT_CODE_CONFIG, "%s: another program uses this state file", file->path);
    else
        error_set(error, EXIT_CODE_CONFIG, "%s: cannot be locked: %s", file->path, why.text);
    folder_advise_missing_of(file->path, error);
    return -1;
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool refuse_state(const char *text, struct error *why)
{
    error_set(why, EXIT_CODE_CONFIG, "%s", text);
    return false;
}

/*
 * Refuses a file that users outside its group can change. If somebody replaced it by an older file,
 * the program would accept old datagrams again.
 */
static bool check_state_file(const struct input_file *input, struct error *why)
{
    if (input_file_is_live(input))
        return refuse_state("it is not a regular file", why);
    switch (input_file_exposure(input)) {
    case EXPOSURE_OTHERS:
        return refuse_state("other users may open it, and it must not be changed by others: "
                            "take away their rights (chmod o=)",
                            why);
    case EXPOSURE_OWNER:
        return refuse_state("it belongs to another user, and that user could change it: "
                            "chown it to the user of this program or to root",
                            why);
    case EXPOSURE_GROUP: /* allowed, because Kubernetes gives all files of a volume to the group
                          * fsGroup at each mount */
    case EXPOSURE_NONE:
        break;
    }
    return input_file_size(input) <= SIZE_MOST ||
           refuse_state("it is too large for a state file", why);
}

/* Reads the whole file. If the file is cut during the read, its checksum will not match. */
static bool read_whole(struct input_file *input, uint8_t **bytes, size_t *size, struct error *why)
{
    if (!check_state_file(input, why))
        return false;
    size_t length = (size_t)input_file_size(input), got = 0;
    *bytes = malloc(length + 1);
    if (*bytes == NULL)
        return error_no_memory(why) == 0;
    enum input_result result = INPUT_BYTES;
    for (; result == INPUT_BYTES && *size < length; *size += got) {
        got = 0;
        result = input_file_read(input, *bytes + *size, length - *size, &got, why);
    }
    return result != INPUT_FAILED;
}

int seal_file_read(const struct seal_file *file, uint8_t **bytes, size_t *size, struct error *error)
{
    struct input_file *input;
    struct error why;
    *bytes = NULL;
    *size = 0;
    if (!folder_has(file->path))
        return 0;
    if (input_file_open(file->path, &input, error) != 0) {
        error->code = EXIT_CODE_CONFIG;
        return -1;
    }
    bool good = read_whole(input, bytes, size, &why);
    input_file_close(input);
    if (good)
        return 0;
    free(*bytes);
    *bytes = NULL;
    error_set(error, EXIT_CODE_CONFIG, "%s: %s", file->path, why.text);
    return -1;
}

/* --- writing ---------------------------------------------------------------------------------- */

static bool write_next(const struct seal_file *file, const struct text *content, struct error *why)
{
    struct data_file data;
    if (folder_has(file->next))
        folder_remove_file(file->next);
    error_set(why, EXIT_CODE_IO, "another program creates this file");
    if (data_file_make(file->next, &data, why) != DATA_FILE_DONE)
        return false;
    bool good =
        data_file_write(data, 0, content, 1, why) == DATA_FILE_DONE && data_file_sync(data, why);
    data_file_close(data);
    return good;
}

int seal_file_write(const struct seal_file *file, const uint8_t *bytes, size_t size,
                    struct error *error)
{
    struct error why;
    const struct text content = {(const char *)bytes, size};
    bool good = write_next(file, &content, &why);
    if (good && !folder_rename_file(file->next, file->path)) {
        error_set(&why, EXIT_CODE_IO, "the new content cannot be renamed to it");
        good = false;
    }
    if (good && folder_sync(file->folder, &why))
        return 0;
    error_set(error, EXIT_CODE_IO, "%s: cannot be written: %s", file->path, why.text);
    return -1;
}
