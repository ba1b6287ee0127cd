/*
 * The keys whose sessions a seal state has (seal_state.h), of this run and of earlier ones, found
 * by their ids.
 *
 * One thread at a time.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_KNOWN_KEYS_H
#define SLUICE_COLLECTOR_SENDERS_KNOWN_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/senders/id_index.h"
#include "collector/senders/key_sessions.h"

struct known_key {
    uint64_t id;                   /* the first member, which id_index.h requires */
    struct key_sessions *sessions; /* held */
    bool claimed;                  /* a table of keys of this run has it */
};

/* All zero at first. */
struct known_keys {
    struct known_key *keys; /* `count` of them, in the order in which they were added */
    size_t count, room;
    struct id_index index;
};

/* Returns the key, valid until the next one is added; NULL: it is not known. */
struct known_key *known_keys_find(const struct known_keys *known, uint64_t id);

/*
 * Adds a key that is not known yet, and takes over the caller's hold on `sessions`. Returns NULL if
 * memory is short; the caller then keeps its hold.
 */
struct known_key *known_keys_add(struct known_keys *known, uint64_t id,
                                 struct key_sessions *sessions);

/* Releases the sessions and frees the table. */
void known_keys_free(struct known_keys *known);

#endif
