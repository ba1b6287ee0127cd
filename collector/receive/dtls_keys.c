#include "collector/receive/dtls_keys.h"

#include <stdlib.h>
#include <string.h>

#include "collector/platform/machine.h"
#include "collector/senders/keys_file.h"

struct dtls_keys {
    struct sender_key_line *lines;         /* the lines in the order of the file, in memory that
                                            * core dumps omit */
    const struct sender_key_line **sorted; /* the lines sorted by name, and for equal names in the
                                            * order of the file */
    size_t count, room;
};

static size_t lines_size(size_t room)
{
    return room * sizeof(struct sender_key_line);
}

static const char *add_line(void *context, const struct sender_key_line *line)
{
    struct dtls_keys *keys = context;
    if (keys->count == keys->room)
        return "the file changed while it was read";
    keys->lines[keys->count] = *line;
    keys->sorted[keys->count] = &keys->lines[keys->count];
    keys->count++;
    return NULL;
}

static int compare_lines(const void *left, const void *right)
{
    const struct sender_key_line *a = *(const struct sender_key_line *const *)left;
    const struct sender_key_line *b = *(const struct sender_key_line *const *)right;
    int names = strcmp(a->name, b->name);
    return names != 0 ? names : (a > b) - (a < b);
}

static int read_lines(struct dtls_keys *keys, const struct keys_file *file, struct error *error)
{
    keys->room = keys_file_lines(file);
    keys->lines = secret_memory_create(lines_size(keys->room));
    keys->sorted = calloc(keys->room, sizeof(struct sender_key_line *));
    if (keys->lines == NULL || keys->sorted == NULL)
        return error_no_memory(error);
    if (keys_file_each(file, add_line, keys, error) != 0)
        return -1;
    qsort(keys->sorted, keys->count, sizeof(struct sender_key_line *), compare_lines);
    return 0;
}

int dtls_keys_load(const char *path, struct dtls_keys **out, struct error *error)
{
    struct keys_file file;
    struct dtls_keys *keys = calloc(1, sizeof *keys);
    if (keys == NULL)
        return error_no_memory(error);
    int result = keys_file_open(path, &file, error);
    if (result == 0) {
        result = read_lines(keys, &file, error);
        keys_file_close(&file);
    }
    if (result != 0) {
        dtls_keys_free(keys);
        return -1;
    }
    *out = keys;
    return 0;
}

void dtls_keys_free(struct dtls_keys *keys)
{
    if (keys == NULL)
        return;
    secret_memory_destroy(keys->lines, lines_size(keys->room));
    free(keys->sorted);
    free(keys);
}

/* --- searching -------------------------------------------------------------------------------- */

/* Compares the first `size` bytes of `text` with the line's whole name, like strcmp. */
static int compare_name(const char *text, size_t size, const struct sender_key_line *line)
{
    int start = strncmp(text, line->name, size);
    return start != 0 ? start : -(line->name[size] != '\0');
}

/* Returns the index of the first line whose name is not less than this one. */
static size_t first_of_name(const struct dtls_keys *keys, const char *text, size_t size)
{
    size_t from = 0, to = keys->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (compare_name(text, size, keys->sorted[middle]) > 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

const struct sender_key_line *dtls_keys_find(const struct dtls_keys *keys, const char *identity,
                                             int64_t now_ns)
{
    const char *end = strchr(identity, '/');
    size_t size = end == NULL ? strlen(identity) : (size_t)(end - identity);
    uint64_t id = 0;
    if (size >= SENDER_KEY_NAME_SIZE || (end != NULL && !sender_key_id_parse(end + 1, &id)))
        return NULL;
    for (size_t i = first_of_name(keys, identity, size);
         i < keys->count && compare_name(identity, size, keys->sorted[i]) == 0; i++) {
        const struct sender_key_line *line = keys->sorted[i];
        if ((end == NULL || line->id == id) && line->not_before_ns <= now_ns &&
            now_ns <= line->not_after_ns)
            return line;
    }
    return NULL;
}
