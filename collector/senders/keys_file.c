#include "collector/senders/keys_file.h"

#include <string.h>

#include "collector/base/secure_clear.h"
#include "collector/platform/input_file.h"
#include "collector/platform/machine.h"
#include "collector/senders/sender_keys.h"

#define SIZE_MAX_BYTES (16 * 1024 * 1024)

/* --- reading ---------------------------------------------------------------------------------- */

static int refuse_file(const char *path, const char *why, struct error *error)
{
    error_set(error, EXIT_CODE_CONFIG, "%s: %s", path, why);
    return -1;
}

/*
 * Checks owner and permissions of the open file. Checking its name would not be safe, because
 * another file could get that name after the check.
 */
static int check_file(const char *path, const struct input_file *file, struct error *error)
{
    if (input_file_is_live(file))
        return refuse_file(path, "a keys file is a regular file", error);
    switch (input_file_exposure(file)) {
    case EXPOSURE_OTHERS:
        error_set(error, EXIT_CODE_CONFIG,
                  "%s: other users may open it, and it contains keys: chmod o= %s", path, path);
        return -1;
    case EXPOSURE_GROUP:
        error_set(error, EXIT_CODE_CONFIG,
                  "%s: users of its group could change the keys: chmod g-w %s", path, path);
        return -1;
    case EXPOSURE_OWNER:
        error_set(error, EXIT_CODE_CONFIG,
                  "%s: it belongs to another user, and that user could change the keys: chown it "
                  "to the user of this program or to root",
                  path);
        return -1;
    case EXPOSURE_NONE:
        break;
    }
    return input_file_size(file) > SIZE_MAX_BYTES ? refuse_file(path, "larger than 16 MiB", error)
                                                  : 0;
}

/*
 * Reads the whole file. The buffer has one byte more than the file had when it was opened. If that
 * byte is filled, the file has grown.
 */
static int read_file(struct input_file *input, struct keys_file *file, struct error *error)
{
    struct error why;
    while (file->size < file->room) {
        size_t got = 0;
        enum input_result result =
            input_file_read(input, file->bytes + file->size, file->room - file->size, &got, &why);
        if (result == INPUT_FAILED)
            return refuse_file(file->path, why.text, error);
        if (result != INPUT_BYTES)
            break;
        file->size += got;
    }
    if (file->size == input_file_size(input) && !input_file_has_changed(input))
        return 0;
    return refuse_file(
        file->path, "changed while it was read; replace a file by renaming a complete one", error);
}

static int load_file(struct input_file *input, struct keys_file *file, struct error *error)
{
    if (check_file(file->path, input, error) != 0)
        return -1;
    file->room = (size_t)input_file_size(input) + 1;
    file->bytes = secret_memory_create(file->room);
    if (file->bytes == NULL)
        return error_no_memory(error);
    return read_file(input, file, error);
}

int keys_file_open(const char *path, struct keys_file *out, struct error *error)
{
    struct input_file *input;
    *out = (struct keys_file){.path = path};
    if (input_file_open(path, &input, error) != 0) {
        error->code = EXIT_CODE_CONFIG;
        return -1;
    }
    int result = load_file(input, out, error);
    input_file_close(input);
    if (result != 0)
        keys_file_close(out);
    return result;
}

void keys_file_close(struct keys_file *file)
{
    secret_memory_destroy(file->bytes, file->room);
    *file = (struct keys_file){.path = file->path};
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Returns the length of the line at `at`, without its line break. */
static size_t line_length(const struct keys_file *file, size_t at)
{
    const char *end = memchr(file->bytes + at, '\n', file->size - at);
    return end == NULL ? file->size - at : (size_t)(end - file->bytes) - at;
}

size_t keys_file_lines(const struct keys_file *file)
{
    size_t count = 1;
    for (size_t i = 0; i < file->size; i++)
        count += file->bytes[i] == '\n';
    return count < SENDER_KEYS_MOST ? count : SENDER_KEYS_MOST;
}

/* Returns the length without a comment, and without spaces and carriage returns at the end. */
static size_t trimmed(const char *line, size_t size)
{
    const char *comment = memchr(line, '#', size);
    if (comment != NULL)
        size = (size_t)(comment - line);
    while (size != 0 && (line[size - 1] == ' ' || line[size - 1] == '\t' || line[size - 1] == '\r'))
        size--;
    return size;
}

static const char *visit_line(const char *line, size_t size,
                              const char *(*visit)(void *, const struct sender_key_line *),
                              void *context)
{
    struct sender_key_line key;
    const char *fault = sender_key_line_parse(line, size, &key);
    if (fault == NULL)
        fault = visit(context, &key);
    secure_clear(&key, sizeof key);
    return fault;
}

int keys_file_each(const struct keys_file *file,
                   const char *(*visit)(void *context, const struct sender_key_line *line),
                   void *context, struct error *error)
{
    unsigned number = 1;
    size_t keys = 0;
    for (size_t at = 0; at < file->size; number++) {
        const char *line = file->bytes + at;
        size_t length = line_length(file, at), size = trimmed(line, length);
        const char *fault = NULL;
        if (size != 0 && ++keys > SENDER_KEYS_MOST)
            fault = "more than 65536 keys";
        else if (size != 0)
            fault = visit_line(line, size, visit, context);
        if (fault != NULL) {
            error_set(error, EXIT_CODE_CONFIG, "%s: line %u: %s", file->path, number, fault);
            return -1;
        }
        at += length + 1;
    }
    return 0;
}
