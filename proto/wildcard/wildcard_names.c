#include "proto/wildcard/wildcard_names.h"

#include "collector/base/fingerprint.h"

/*
 * The key need not be secret: texts of senders are only looked up, and the names in the table are
 * those of the schema.
 */
static const struct fingerprint_key key = {
    {UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xbf58476d1ce4e5b9), UINT64_C(0x94d049bb133111eb),
     UINT64_C(0xd6e8feb86659fd93)}};

static size_t bucket_of(const struct text *text)
{
    uint64_t hash = fingerprint_add(&key, fingerprint_begin(&key, 0), text->data, text->size);
    return (size_t)(fingerprint_end(&key, hash) % WILDCARD_NAME_BUCKETS);
}

static struct wildcard_name *find(struct wildcard_name *at, const struct text *text)
{
    while (at != NULL && !text_equal(&at->text, text))
        at = at->next;
    return at;
}

bool wildcard_name_exists(const struct wildcard_names *names, const struct text *text)
{
    return find(names->buckets[bucket_of(text)], text) != NULL;
}

struct wildcard_name *wildcard_name_add(struct wildcard_names *names, struct growing_arena *memory,
                                        const struct text *text)
{
    struct wildcard_name **bucket = &names->buckets[bucket_of(text)];
    struct wildcard_name *name = find(*bucket, text);
    if (name != NULL || (name = growing_arena_allocate(memory, 1, sizeof *name)) == NULL)
        return name;
    *name = (struct wildcard_name){.text = *text,
                                   .index = names->count,
                                   .bit = UINT64_C(1) << (names->count % 64),
                                   .next = *bucket};
    names->count++;
    *bucket = name;
    return name;
}

bool wildcard_name_set_make(struct wildcard_name_set *set, struct growing_arena *memory,
                            struct wildcard_name *const *names, size_t count)
{
    size_t size = 1;
    while (size < 2 * count)
        size *= 2;
    *set = (struct wildcard_name_set){.mask = (uint32_t)(size - 1)};
    set->slots = growing_arena_allocate(memory, size, sizeof *set->slots);
    if (set->slots == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t at = names[i]->index;
        while (set->slots[at & set->mask] != NULL)
            at++;
        set->slots[at & set->mask] = names[i];
        set->bits |= names[i]->bit;
    }
    return true;
}
