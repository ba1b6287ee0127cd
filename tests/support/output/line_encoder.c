#include "tests/support/output/line_encoder.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

static _Atomic size_t calls;
static void (*called)(void *context);
static void *called_context;

size_t line_encoder_calls(void)
{
    return atomic_load(&calls);
}

void line_encoder_reset(void)
{
    atomic_store(&calls, 0);
    called = NULL;
}

void line_encoder_set_hook(void (*hook)(void *context), void *context)
{
    called = hook;
    called_context = context;
}

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    (void)encoder;
    (void)listener;
    atomic_fetch_add(&calls, 1);
    if (called != NULL)
        called(called_context);
    if (record->data[0] == '-')
        return (struct encoded){0};
    output_bytes(out, (const char *)record->data, record->size);
    output_char(out, '\n');
    if (record->data[0] == '!')
        out->overflow = true;
    return (struct encoded){.lines = 1, .samples = 1};
}

static struct encoder *create(const struct encoder_options *options)
{
    (void)options;
    struct encoder *encoder = malloc(sizeof *encoder);
    if (encoder != NULL)
        encoder->ops = &line_encoder;
    return encoder;
}

static void destroy(struct encoder *encoder)
{
    free(encoder);
}

const struct encoder_ops line_encoder = {
    .name = "line",
    .create = create,
    .destroy = destroy,
    .encode = encode,
};

struct encoder *line_encoder_create(void)
{
    struct encoder *encoder = create(NULL);
    assert_non_null(encoder);
    return encoder;
}

void line_batch_add(struct batch *batch, const char *payload, size_t count)
{
    size_t size = strlen(payload);
    for (size_t i = 0; i < count; i++) {
        struct record *record = arena_allocate(&batch->arena, sizeof *record);
        char *data = arena_allocate(&batch->arena, size);
        assert_non_null(record);
        assert_non_null(data);
        memcpy(data, payload, size);
        *record = (struct record){
            .listener = batch->listener, .data = (uint8_t *)data, .size = (uint32_t)size};
        batch_append(batch, record);
    }
}

struct batch *line_batch_make(struct batch_pool *pool, const char *payload, size_t count)
{
    static const struct listener listener = {.index = 0, .name = "test"};
    struct batch *batch = batch_acquire(pool, false);
    assert_non_null(batch);
    batch->listener = &listener;
    line_batch_add(batch, payload, count);
    return batch;
}
