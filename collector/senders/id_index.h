/*
 * Finds keys by their ids: a hash table with open addressing that stores indices of array elements.
 * Ids come from files and not from senders, so no sender can make them collide.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_ID_INDEX_H
#define SLUICE_COLLECTOR_SENDERS_ID_INDEX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct id_index {
    uint32_t *places; /* each element is an index into the caller's array plus 1, or 0 if free;
                       * there are at least twice as many places as array elements */
    size_t mask;      /* number of places, which is a power of two, minus 1 */
};

/*
 * Returns the place of the id, or the free place where it belongs. `elements` is the array. Its
 * elements have `size` bytes and begin with their id.
 */
static inline uint32_t *id_index_place(const struct id_index *index, const void *elements,
                                       size_t size, uint64_t id)
{
    for (size_t at = (size_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 32);; at++) {
        uint32_t *place = &index->places[at & index->mask];
        uint64_t found;
        if (*place == 0)
            return place;
        memcpy(&found, (const char *)elements + (*place - 1) * size, sizeof found);
        if (found == id)
            return place;
    }
}

#endif
