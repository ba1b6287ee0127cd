/*
 * The names that labels of fields and positions in lists can have, and sets of such names. They are
 * made with the plan; then they are constant.
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
    uint32_t index; /* number of names that were added before */
    uint64_t bit;   /* one of 64 bits, chosen by the index */
    struct wildcard_name *next;

    /* Used only while the plan is made (wildcard_keys.c). */
    bool is_label;              /* a label has the name, not only positions with gives_way */
    const void *element;        /* the element of the two lists below */
    struct keyed_label *labels; /* its labels whose key is the name */
    struct keyed_label *texts;  /* the same for its info sample */
};

#define WILDCARD_NAME_BUCKETS ((size_t)1024)

struct wildcard_names {
    struct wildcard_name *buckets[WILDCARD_NAME_BUCKETS];
    uint32_t count;
};

/* Returns the name with this text, and adds it if it is new. Returns NULL if memory is short. */
struct wildcard_name *wildcard_name_add(struct wildcard_names *names, struct growing_arena *memory,
                                        const struct text *text);

/* Returns true if a name has this text. */
bool wildcard_name_exists(const struct wildcard_names *names, const struct text *text);

/* A hash table with linear probing, which begins at the name's index. */
struct wildcard_name_set {
    const struct wildcard_name **slots;
    uint32_t mask; /* number of slots (a power of two) minus 1 */
    uint64_t bits; /* the `bit` of all names in the set */
};

/* Fills the set with different names. Returns false if memory is short. */
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
