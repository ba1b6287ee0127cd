/*
 * The names that labels of fields and positions in lists can have, each once, and sets of them.
 * They are made with the plan, and then immutable.
 */
#ifndef SLUICE_PROTO_WILDCARD_WILDCARD_NAMES_H
#define SLUICE_PROTO_WILDCARD_WILDCARD_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/schema.h"
#include "proto/types/growing_arena.h"

struct wildcard_name {
    struct text text;
    uint32_t index; /* number of names that were added earlier */
    uint64_t bit;   /* one of 64 bits, by the index */
    struct wildcard_name *next;

    /* Only while the plan is made (wildcard_keys.c). */
    bool is_label;              /* it is more than the name of positions that give way to labels */
    const void *element;        /* what the other two are about */
    struct keyed_label *labels; /* its labels that have the name as their key */
    struct keyed_label *texts;  /* the same of its info sample */
};

#define WILDCARD_NAME_BUCKETS ((size_t)1024)

struct wildcard_names {
    struct wildcard_name *buckets[WILDCARD_NAME_BUCKETS];
    uint32_t count;
};

/* Returns the name with this text, which is added if it is new; NULL if memory is short. */
struct wildcard_name *wildcard_name_add(struct wildcard_names *names, struct growing_arena *memory,
                                        const struct text *text);

/* Whether a name has this text. */
bool wildcard_name_exists(const struct wildcard_names *names, const struct text *text);

/* A table with free slots: a name is in the first free slot from its index on. */
struct wildcard_name_set {
    const struct wildcard_name **slots;
    uint32_t mask; /* number of slots, a power of two, less one */
    uint64_t bits; /* of all names in it */
};

/* Fills the set with names that differ. Returns false if memory is short. */
bool wildcard_name_set_make(struct wildcard_name_set *set, struct growing_arena *memory,
                            struct wildcard_name *const *names, size_t count);

static inline bool wildcard_name_set_has(const struct wildcard_name_set *set,
                                         const struct wildcard_name *name)
{
    if ((set->bits & name->bit) == 0)
        return false;
    for (uint32_t at = name->index;; at++) {
        const struct wildcard_name *here = set->slots[at & set->mask];
        if (here == name || here == NULL)
            return here != NULL;
    }
}

#endif
