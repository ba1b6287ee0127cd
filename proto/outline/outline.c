#include "proto/outline/outline.h"

#include <stdlib.h>
#include <string.h>

#include "proto/outline/example.h"
#include "proto/reading/json_message.h"
#include "proto/schemas.h"

/*
 * JSON_ROOM: bytes for an example message in JSON. FIRST_ROOM and MOST_ROOM: bytes for the decoded
 * message, at first and at most.
 */
#define JSON_ROOM  ((size_t)8 * 1024 * 1024)
#define FIRST_ROOM ((size_t)1024 * 1024)
#define MOST_ROOM  ((size_t)1 << 30)
#define LABEL_ROOM ((size_t)64 * 1024)
#define LABELS_MAX ((size_t)256)
#define BUCKETS    ((size_t)4096)

struct outlining {
    const struct schema *schema;
    struct outline *outline;
    struct example example;
    struct output json;
    struct arena message, scratch;
    struct outline_row *buckets[BUCKETS];
    struct error *error;
};

static bool no_memory(const struct outlining *outlining)
{
    error_no_memory(outlining->error);
    return false;
}

/* --- rows ------------------------------------------------------------------------------------- */

struct keys {
    struct text list[LABELS_MAX];
    size_t count;
};

static void read_keys(struct outlining *outlining, const void *message, const struct sample *sample,
                      struct keys *keys)
{
    struct schema_cursor cursor = {.scratch = &outlining->scratch};
    struct label label = {.shared = NULL};
    keys->count = 0;
    outlining->scratch.used = 0;
    const struct schema *schema = outlining->schema;
    while (schema->ops->next_label(schema, message, sample, &cursor, &label)) {
        bool known = keys->count == LABELS_MAX;
        for (size_t i = 0; !known && i < keys->count; i++)
            known = text_equal(&keys->list[i], &label.key);
        if (!known)
            keys->list[keys->count++] = label.key;
        label.shared = NULL;
    }
}

static bool is_row(const struct outline_row *row, const struct sample *sample, const char *time)
{
    return row->kind == sample->kind && same_text(row->time, time) &&
           text_is(sample->name.data, sample->name.size, row->name);
}

static bool has_label(const struct outline_row *row, const struct text *key)
{
    for (size_t i = 0; i < row->label_count; i++)
        if (text_is(key->data, key->size, row->labels[i]))
            return true;
    return false;
}

static bool add_labels(struct outlining *outlining, struct outline_row *row,
                       const struct keys *keys)
{
    struct growing_arena *memory = &outlining->outline->memory;
    if (row->label_count + keys->count > row->label_capacity) {
        size_t wanted = 2 * (row->label_count + keys->count);
        const char **grown = growing_arena_allocate(memory, wanted, sizeof *grown);
        if (grown == NULL)
            return no_memory(outlining);
        if (row->label_count != 0)
            memcpy(grown, row->labels, row->label_count * sizeof *grown);
        row->labels = grown;
        row->label_capacity = wanted;
    }
    for (size_t i = 0; i < keys->count; i++) {
        if (has_label(row, &keys->list[i]))
            continue;
        const char *key = growing_arena_text(memory, keys->list[i].data, keys->list[i].size);
        if (key == NULL)
            return no_memory(outlining);
        row->labels[row->label_count++] = key;
    }
    return true;
}

static size_t bucket_of(const struct text *name)
{
    size_t hash = 5381;
    for (size_t i = 0; i < name->size; i++)
        hash = hash * 33 + (unsigned char)name->data[i];
    return hash % BUCKETS;
}

static bool make_room(struct outlining *outlining)
{
    struct outline *outline = outlining->outline;
    if (outline->count < outline->capacity)
        return true;
    size_t wanted = outline->capacity == 0 ? 64 : outline->capacity * 2;
    struct outline_row **grown = realloc(outline->rows, wanted * sizeof(struct outline_row *));
    if (grown == NULL)
        return no_memory(outlining);
    outline->rows = grown;
    outline->capacity = wanted;
    return true;
}

/* Returns a new row without labels, or NULL with the error filled. */
static struct outline_row *add_row(struct outlining *outlining, const struct sample *sample,
                                   const char *time)
{
    struct growing_arena *memory = &outlining->outline->memory;
    struct outline_row **bucket = &outlining->buckets[bucket_of(&sample->name)];
    struct outline_row *row = growing_arena_allocate(memory, 1, sizeof *row);
    if (row != NULL)
        *row = (struct outline_row){
            .name = growing_arena_text(memory, sample->name.data, sample->name.size),
            .kind = sample->kind,
            .time = time == NULL ? NULL : growing_arena_text(memory, time, strlen(time)),
            .chain = *bucket,
        };
    if (memory->failed || !make_room(outlining)) {
        no_memory(outlining);
        return NULL;
    }
    *bucket = row;
    outlining->outline->rows[outlining->outline->count++] = row;
    return row;
}

static struct outline_row *find_row(const struct outlining *outlining, const struct sample *sample,
                                    const char *time)
{
    struct outline_row *at = outlining->buckets[bucket_of(&sample->name)];
    while (at != NULL && !is_row(at, sample, time))
        at = at->chain;
    return at;
}

static bool read_row(struct outlining *outlining, const void *message, const struct sample *sample)
{
    struct keys keys;
    const char *time =
        sample->time_ns == 0 ? NULL : example_path_of_time(&outlining->example, sample->time_ns);
    if (time == NULL && sample->time_ns != 0)
        time = "the message"; /* computed from several fields */
    struct outline_row *row = find_row(outlining, sample, time);
    if (row == NULL && outlining->outline->count == OUTLINE_ROWS_MAX)
        outlining->outline->cut = true;
    else if (row == NULL && (row = add_row(outlining, sample, time)) == NULL)
        return false;
    read_keys(outlining, message, sample, &keys);
    return row == NULL || add_labels(outlining, row, &keys);
}

/* --- messages --------------------------------------------------------------------------------- */

static bool enlarge(struct outlining *outlining)
{
    size_t wanted = outlining->message.capacity == 0 ? FIRST_ROOM : outlining->message.capacity * 4;
    free(outlining->message.base);
    outlining->message = (struct arena){.base = NULL};
    if (wanted <= MOST_ROOM)
        outlining->message = (struct arena){.base = malloc(wanted), .capacity = wanted};
    return outlining->message.base != NULL || no_memory(outlining);
}

static bool decode(struct outlining *outlining, const uint8_t *bytes, size_t size,
                   const void **message)
{
    struct decoded decoded;
    enum decode_result result = DECODE_TOO_LARGE;
    while (result == DECODE_TOO_LARGE) {
        if (!enlarge(outlining))
            return false;
        result = outlining->schema->ops->decode(outlining->schema, bytes, size, &outlining->message,
                                                &decoded);
    }
    *message = decoded.message;
    if (result == DECODE_OK)
        return true;
    error_set(outlining->error, EXIT_CODE_INTERNAL, "the example message is not valid");
    return false;
}

static bool read_message(struct outlining *outlining, const uint8_t *bytes, size_t size)
{
    const void *message;
    outlining->message.capacity = 0;
    if (!decode(outlining, bytes, size, &message))
        return false;
    uint64_t room[512];
    struct arena names = {.base = (uint8_t *)room, .capacity = sizeof room};
    struct schema_cursor cursor = {.scratch = &names};
    struct sample sample = {.index = 0};
    while (outlining->schema->ops->next_sample(outlining->schema, message, &cursor, &sample))
        if (!read_row(outlining, message, &sample))
            return false;
    return true;
}

static bool read_next(struct outlining *outlining, bool *more)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    outlining->json.used = 0;
    outlining->json.overflow = false;
    if (!example_write(&outlining->example, &outlining->json, more))
        return no_memory(outlining);
    output_char(&outlining->json, '\0');
    if (outlining->json.overflow) {
        error_set(outlining->error, EXIT_CODE_CONFIG,
                  "an example message is too large; choose a type inside with --message");
        return false;
    }
    bool good =
        json_message_encode_type(schema_file_type(outlining->schema), "the example",
                                 outlining->json.data, &bytes, &size, outlining->error) == 0 &&
        read_message(outlining, bytes, size);
    free(bytes);
    return good;
}

static bool read_all(struct outlining *outlining)
{
    bool more = true;
    while (more && !outlining->outline->cut)
        if (!read_next(outlining, &more))
            return false;
    outlining->outline->cut = outlining->outline->cut || outlining->example.cut;
    return true;
}

/* --- the whole -------------------------------------------------------------------------------- */

int outline_make(const struct schema *schema, struct outline *outline, struct error *error)
{
    *outline = (struct outline){.count = 0};
    struct outlining *outlining = calloc(1, sizeof *outlining);
    if (outlining == NULL)
        return error_no_memory(error);
    outlining->schema = schema;
    outlining->outline = outline;
    outlining->error = error;
    outlining->json = (struct output){.data = malloc(JSON_ROOM), .capacity = JSON_ROOM};
    outlining->scratch = (struct arena){.base = malloc(LABEL_ROOM), .capacity = LABEL_ROOM};
    bool good = outlining->json.data != NULL && outlining->scratch.base != NULL &&
                example_begin(&outlining->example, schema_file_type(schema));
    good = good ? read_all(outlining) : no_memory(outlining);
    example_clear(&outlining->example);
    free(outlining->json.data);
    free(outlining->scratch.base);
    free(outlining->message.base);
    free(outlining);
    return good ? 0 : -1;
}

void outline_clear(struct outline *outline)
{
    free(outline->rows);
    growing_arena_free(&outline->memory);
    *outline = (struct outline){.count = 0};
}
