#include "collector/senders/known_keys.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 16 /* a power of two, as all later ones are */

/* The place of the id, or the free one where it belongs. */
static uint32_t *known_place(const struct known_keys *known, uint64_t id)
{
    const size_t mask = 2 * known->room - 1;
    size_t at = (size_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    for (;; at++) {
        uint32_t *place = &known->index[at & mask];
        if (*place == 0 || known->keys[*place - 1].id == id)
            return place;
    }
}

struct known_key *known_keys_find(const struct known_keys *known, uint64_t id)
{
    uint32_t number = known->room == 0 ? 0 : *known_place(known, id);
    return number == 0 ? NULL : &known->keys[number - 1];
}

/* Doubles the room. The table stays as it was if memory is short. */
static bool grow_known(struct known_keys *known)
{
    size_t room = known->room == 0 ? ROOM_FIRST : 2 * known->room;
    uint32_t *index = calloc(2 * room, sizeof *index);
    struct known_key *keys = realloc(known->keys, room * sizeof *keys);
    if (keys != NULL)
        known->keys = keys;
    if (keys == NULL || index == NULL) {
        free(index);
        return false;
    }
    free(known->index);
    known->index = index;
    known->room = room;
    for (size_t i = 0; i < known->count; i++)
        *known_place(known, keys[i].id) = (uint32_t)i + 1;
    return true;
}

struct known_key *known_keys_add(struct known_keys *known, uint64_t id,
                                 struct key_sessions *sessions)
{
    if (known->count == known->room && !grow_known(known))
        return NULL;
    struct known_key *key = &known->keys[known->count];
    *key = (struct known_key){.id = id, .sessions = sessions};
    *known_place(known, id) = (uint32_t)++known->count;
    return key;
}

void known_keys_free(struct known_keys *known)
{
    for (size_t i = 0; i < known->count; i++)
        key_sessions_release(known->keys[i].sessions);
    free(known->keys);
    free(known->index);
    *known = (struct known_keys){0};
}
