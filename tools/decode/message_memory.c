#include "tools/decode/message_memory.h"

#include <stdbool.h>
#include <stdlib.h>

#define FIRST_CAPACITY (UINT32_C(64) << 10)

/* Returns the next larger capacity, or 0 with `error` filled if the limit is reached. */
static size_t larger(size_t capacity, struct error *error)
{
    if (capacity == 0)
        return FIRST_CAPACITY;
    if (capacity >= MESSAGE_MEMORY_LIMIT) {
        error_set(error, EXIT_CODE_BAD_INPUT, "too large: it needs more than 1 GiB of memory");
        return 0;
    }
    return capacity * 4;
}

/* Frees the block and allocates a larger one. Its contents are lost. */
static int enlarge(void **block, size_t *capacity, struct error *error)
{
    size_t wanted = larger(*capacity, error);
    if (wanted == 0)
        return -1;
    free(*block);
    *block = malloc(wanted);
    *capacity = *block != NULL ? wanted : 0;
    if (*block != NULL)
        return 0;
    error_set(error, EXIT_CODE_INTERNAL, "no memory for %zu bytes", wanted);
    return -1;
}

static int enlarge_arena(struct arena *arena, struct error *error)
{
    void *block = arena->base;
    int result = enlarge(&block, &arena->capacity, error);
    *arena = (struct arena){.base = block, .capacity = arena->capacity};
    return result;
}

static int enlarge_output(struct output *output, struct error *error)
{
    void *block = output->data;
    int result = enlarge(&block, &output->capacity, error);
    *output = (struct output){.data = block, .capacity = output->capacity};
    return result;
}

static int refuse(struct error *error, const char *reason, const struct decode_failure *failure)
{
    char text[DECODE_FAILURE_TEXT_SIZE];
    error_set(error, EXIT_CODE_BAD_INPUT, "%s %s", reason, decode_failure_text(failure, text));
    return -1;
}

int message_memory_decode(struct message_memory *memory, const struct schema *schema,
                          const uint8_t *data, size_t size, const void **message,
                          struct error *error)
{
    if (size == 0 && !schema->ops->accepts_empty) {
        error_set(error, EXIT_CODE_BAD_INPUT, "empty, which this schema does not allow");
        return -1;
    }
    if (memory->arena.base == NULL && enlarge_arena(&memory->arena, error) != 0)
        return -1;
    for (;;) {
        memory->arena.used = 0;
        struct decoded decoded;
        switch (schema->ops->decode(schema, data, size, &memory->arena, &decoded)) {
        case DECODE_OK:
            *message = decoded.message;
            return 0;
        case DECODE_TOO_DEEP:
            return refuse(error, "nested too deeply", &decoded.failure);
        case DECODE_MALFORMED:
            return refuse(error, "malformed", &decoded.failure);
        case DECODE_TOO_LARGE:
            break;
        }
        if (enlarge_arena(&memory->arena, error) != 0)
            return -1;
    }
}

static int begin(struct message_memory *memory, struct error *error)
{
    memory->text.used = 0;
    memory->text.overflow = false;
    return memory->text.data != NULL ? 0 : enlarge_output(&memory->text, error);
}

int message_memory_write_json(struct message_memory *memory, const struct schema *schema,
                              const void *message, const struct json_style *style,
                              struct error *error)
{
    if (begin(memory, error) != 0 ||
        (memory->scratch.base == NULL && enlarge_arena(&memory->scratch, error) != 0))
        return -1;
    for (;;) {
        memory->scratch.exhausted = false;
        size_t fallbacks =
            schema->ops->write_json(schema, message, style, &memory->scratch, &memory->text);
        if (memory->text.overflow) {
            if (enlarge_output(&memory->text, error) != 0)
                return -1;
        } else if (fallbacks != 0 && memory->scratch.exhausted) {
            if (enlarge_arena(&memory->scratch, error) != 0)
                return -1;
            memory->text.used = 0;
        } else if (fallbacks != 0) {
            error_set(error, EXIT_CODE_NO_JSON_FORM, "a value in it has no JSON form");
            return -1;
        } else {
            return 0;
        }
    }
}

int message_memory_write_protobuf(struct message_memory *memory, const struct schema *schema,
                                  const void *message, struct error *error)
{
    if (begin(memory, error) != 0)
        return -1;
    for (;;) {
        schema->ops->write_protobuf(schema, message, &memory->text);
        if (!memory->text.overflow)
            return 0;
        if (enlarge_output(&memory->text, error) != 0)
            return -1;
    }
}

int message_memory_write(struct message_memory *memory, const struct schema *schema,
                         const void *message, message_writer *write, struct error *error)
{
    if (begin(memory, error) != 0 ||
        (memory->scratch.base == NULL && enlarge_arena(&memory->scratch, error) != 0))
        return -1;
    for (;;) {
        memory->scratch.exhausted = false;
        write(schema, message, &memory->scratch, &memory->text);
        if (!memory->text.overflow)
            return 0;
        if (memory->scratch.exhausted ? enlarge_arena(&memory->scratch, error) != 0
                                      : enlarge_output(&memory->text, error) != 0)
            return -1;
        memory->text.used = 0;
        memory->text.overflow = false;
    }
}

void message_memory_clear(struct message_memory *memory)
{
    free(memory->arena.base);
    free(memory->scratch.base);
    free(memory->text.data);
    *memory = (struct message_memory){0};
}
