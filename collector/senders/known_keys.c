#include "collector/senders/known_keys.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 16 /* a power of two */

static uint32_t *known_place(const struct known_keys *known, uint64_t id)
{
    return id_index_place(&known->index, known->keys, sizeof *known->keys, id);
}

struct known_key *known_keys_find(const struct known_keys *known, uint64_t id)
{
    uint32_t number = known->room == 0 ? 0 : *known_place(known, id);
    return number == 0 ? NULL : &known->keys[number - 1];
}

/* Doubles the room. If out of memory, returns false and leaves the table as it was. */
static bool grow_known(struct known_keys *known)
{
    size_t room = known->room == 0 ? ROOM_FIRST : 2 * known->room;
    uint32_t *places = calloc(2 * room, sizeof *places);
    struct known_key *keys = realloc(known->keys, room * sizeof *keys);
    if (keys != NULL)
        known->keys = keys;
    if (keys == NULL || places == NULL) {
        free(places);
        return false;
    }
    free(known->index.places);
    known->index = (struct id_index){places, 2 * room - 1};
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
    free(known->index.places);
    *known = (struct known_keys){0};
}
