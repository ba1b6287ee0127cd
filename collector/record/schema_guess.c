#include "collector/record/schema_guess.h"

#include <stdlib.h>

#include "collector/platform/thread.h"

#define SCHEMAS_MOST 16
#define ROOM         ((size_t)512 * 1024) /* bytes for a decoded message */

struct schema_guess {
    const struct schema_ops *const *known;
    struct mutex *lock;
    struct schema *schemas[SCHEMAS_MOST]; /* in the order of `known`; NULL if the schema could not
                                             be created */
    struct arena arena;                   /* `base` is NULL until the first call */
};

struct schema_guess *schema_guess_create(const struct schema_ops *const *known)
{
    struct schema_guess *guess = calloc(1, sizeof *guess);
    if (guess == NULL)
        return NULL;
    guess->known = known;
    guess->lock = mutex_create();
    if (guess->lock == NULL) {
        free(guess);
        return NULL;
    }
    return guess;
}

void schema_guess_destroy(struct schema_guess *guess)
{
    if (guess == NULL)
        return;
    for (size_t i = 0; i < SCHEMAS_MOST; i++)
        if (guess->schemas[i] != NULL)
            guess->schemas[i]->ops->destroy(guess->schemas[i]);
    free(guess->arena.base);
    mutex_destroy(guess->lock);
    free(guess);
}

/*
 * Creates the arena and the schemas once. Returns false if there is no memory for the arena. A
 * schema that cannot be created is left out.
 */
static bool make_schemas(struct schema_guess *guess)
{
    if (guess->arena.base != NULL)
        return true;
    guess->arena = (struct arena){.base = malloc(ROOM), .capacity = ROOM};
    if (guess->arena.base == NULL)
        return false;
    for (size_t i = 0; i < SCHEMAS_MOST && guess->known[i] != NULL; i++) {
        const struct schema_options options = {.source = guess->known[i]->name};
        struct error error;
        if (guess->known[i]->create(&options, &guess->schemas[i], &error) != 0)
            guess->schemas[i] = NULL;
    }
    return true;
}

static struct schema_fields fields_by(struct schema_guess *guess, const struct schema *schema,
                                      const uint8_t *data, size_t size)
{
    struct decoded decoded;
    guess->arena.used = 0;
    guess->arena.exhausted = false;
    if (schema->ops->decode(schema, data, size, &guess->arena, &decoded) != DECODE_OK)
        return (struct schema_fields){0};
    return schema->ops->count_fields(schema, decoded.message);
}

static bool is_better(const struct schema_fields *one, const struct schema_fields *best)
{
    if (one->known <= one->unknown)
        return false;
    if (best->known == 0 || one->unknown != best->unknown)
        return best->known == 0 || one->unknown < best->unknown;
    return one->known > best->known;
}

static const char *best_of(struct schema_guess *guess, const struct schema_ops *wrong,
                           const uint8_t *data, size_t size)
{
    struct schema_fields best = {0};
    const char *name = NULL;
    for (size_t i = 0; i < SCHEMAS_MOST; i++) {
        const struct schema *schema = guess->schemas[i];
        if (schema == NULL || schema->ops == wrong)
            continue;
        struct schema_fields fields = fields_by(guess, schema, data, size);
        if (!is_better(&fields, &best))
            continue;
        best = fields;
        name = schema->ops->name;
    }
    return name;
}

const char *schema_guess_name(struct schema_guess *guess, const struct schema_ops *wrong,
                              const uint8_t *data, size_t size)
{
    mutex_lock(guess->lock);
    const char *name = make_schemas(guess) ? best_of(guess, wrong, data, size) : NULL;
    mutex_unlock(guess->lock);
    return name;
}
