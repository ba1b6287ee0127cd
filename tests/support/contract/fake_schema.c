#include "tests/support/contract/fake_schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/text/json_writer.h"

#define ALIVE  UINT32_C(0xa11fe0ed)
#define POISON 0xdd

struct fake {
    struct schema schema;
    uint32_t alive;
    int number;
    bool numbered; /* the option `sequence` is set */
    char name[64];
};

struct fake_schemas fake_schemas;
void (*fake_schema_making)(void);

static const struct fake *living(const struct schema *schema)
{
    const struct fake *fake = (const struct fake *)schema;
    if (fake->alive != ALIVE) {
        fputs("a schema is used that was destroyed\n", stderr);
        abort();
    }
    return fake;
}

/* --- creating and destroying ------------------------------------------------------------------ */

static int make(const struct schema_ops *ops, const struct schema_options *options,
                struct schema **out, struct error *error)
{
    if (fake_schema_making != NULL)
        fake_schema_making();
    if (atomic_load(&fake_schemas.fail)) {
        error_set(error, EXIT_CODE_CONFIG, "%s: cannot be made", options->source);
        return -1;
    }
    struct fake *fake = calloc(1, sizeof *fake);
    if (fake == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory");
        return -1;
    }
    const char *name = options->message != NULL ? options->message : ops->name;
    snprintf(fake->name, sizeof fake->name, "%s", name);
    fake->schema =
        (struct schema){.ops = ops,
                        .name = fake->name,
                        .has_samples = options->value != NULL && !atomic_load(&fake_schemas.bare)};
    fake->alive = ALIVE;
    fake->number = atomic_fetch_add(&fake_schemas.made, 1) + 1;
    fake->numbered = options->sequence != NULL;
    atomic_fetch_add(&fake_schemas.living, 1);
    *out = &fake->schema;
    return 0;
}

static int create(const struct schema_options *options, struct schema **out, struct error *error)
{
    return make(&fake_schema, options, out, error);
}

static int create_of_anything(const struct schema_options *options, struct schema **out,
                              struct error *error)
{
    return make(&fake_schema_of_anything, options, out, error);
}

static void destroy(struct schema *schema)
{
    if (schema == NULL)
        return;
    living(schema);
    atomic_fetch_sub(&fake_schemas.living, 1);
    memset(schema, POISON, sizeof(struct fake));
    free(schema);
}

/* --- messages --------------------------------------------------------------------------------- */

static size_t count(const struct text *text, char c)
{
    size_t found = 0;
    for (size_t i = 0; i < text->size; i++)
        found += text->data[i] == c;
    return found;
}

static uint64_t number_of(const struct text *text)
{
    uint64_t number = 0;
    for (size_t i = 1; i < text->size && text->data[i] >= '0' && text->data[i] <= '9'; i++)
        number = number * 10 + (uint64_t)(text->data[i] - '0');
    return number;
}

/* Decodes a datagram to a struct text that points into it. */
static enum decode_result decode(const struct schema *schema, const uint8_t *data, size_t size,
                                 struct arena *arena, struct decoded *out)
{
    living(schema);
    *out = (struct decoded){0};
    char kind = size == 0 ? '\0' : (char)data[0];
    if (kind == '!' || kind == '>')
        return kind == '!' ? DECODE_MALFORMED : DECODE_TOO_DEEP;
    size_t start = arena->used;
    struct text *text = arena_allocate(arena, sizeof *text);
    if (text == NULL)
        return DECODE_TOO_LARGE;
    *text = (struct text){(const char *)data, size};
    if (kind == '*' && arena_allocate(arena, number_of(text)) == NULL) {
        arena->used = start;
        return DECODE_TOO_LARGE;
    }
    *out = (struct decoded){.message = text, .unknown_fields = count(text, '?')};
    return DECODE_OK;
}

static bool next_sample(const struct schema *schema, const void *message,
                        struct schema_cursor *cursor, struct sample *sample)
{
    const struct fake *fake = living(schema);
    if (cursor->index++ != 0)
        return false;
    *sample = (struct sample){.name = *(const struct text *)message, .type = SAMPLE_INT64};
    sample->value.int64 = fake->number;
    return true;
}

static bool next_label(const struct schema *schema, const void *message,
                       const struct sample *sample, struct schema_cursor *cursor,
                       struct label *label)
{
    (void)message;
    (void)sample;
    const struct fake *fake = living(schema);
    char *text = arena_allocate(cursor->scratch, 16);
    if (cursor->index++ != 0 || text == NULL)
        return false;
    label->key = (struct text){"made", 4};
    label->value = (struct text){text, (size_t)snprintf(text, 16, "%d", fake->number)};
    return true;
}

static size_t write_json(const struct schema *schema, const void *message,
                         const struct json_style *style, struct arena *scratch, struct output *out)
{
    (void)style;
    (void)scratch;
    const struct fake *fake = living(schema);
    const struct text *text = message;
    json_object_begin(out);
    json_key_literal(out, "made");
    json_int64(out, fake->number);
    json_key_literal(out, "text");
    json_string(out, text->data, text->size);
    json_object_end(out);
    return count(text, '~');
}

static struct schema_fields count_fields(const struct schema *schema, const void *message)
{
    living(schema);
    const struct text *text = message;
    return (struct schema_fields){.known = text->size != 0, .unknown = count(text, '?')};
}

static void write_protobuf(const struct schema *schema, const void *message, struct output *out)
{
    living(schema);
    const struct text *text = message;
    output_bytes(out, text->data, text->size);
}

static bool sequence(const struct schema *schema, const void *message,
                     struct datagram_sequence *out)
{
    const struct text *text = message;
    if (!living(schema)->numbered || text->size < 2 || text->data[0] != '#')
        return false;
    *out = (struct datagram_sequence){.number = number_of(text)};
    return true;
}

static bool same_numbers(const struct schema *a, const struct schema *b)
{
    return living(a)->numbered == living(b)->numbered;
}

#define FAKE_OPERATIONS                                                                            \
    .destroy = destroy, .decode = decode, .next_sample = next_sample, .next_label = next_label,    \
    .write_json = write_json, .count_fields = count_fields, .write_protobuf = write_protobuf,      \
    .sequence = sequence, .same_numbers = same_numbers

const struct schema_ops fake_schema = {
    .name = "fake",
    .otlp_udp = OTLP_UDP_TRACES,
    .create = create,
    FAKE_OPERATIONS,
};

const struct schema_ops fake_schema_of_anything = {
    .name = "fake-of-anything",
    .accepts_empty = true,
    .otlp_udp = OTLP_UDP_METRICS,
    .create = create_of_anything,
    FAKE_OPERATIONS,
};
