/*
 * A table of the keys whose sessions a seal state (seal_state.h) remembers: keys of this run and of
 * earlier runs. A key is found by its id.
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
    uint64_t id;                   /* must be the first member (id_index.h) */
    struct key_sessions *sessions; /* this table has a reference to the sessions
                                    * (key_sessions_hold) */
    bool claimed;                  /* a table of keys (sender_keys.h) of this run uses the key */
};

/* A zeroed struct is an empty table. */
struct known_keys {
    struct known_key *keys; /* in the order in which they were added */
    size_t count, room;
    struct id_index index;
};

/* Returns the key, or NULL. It is valid until the next key is added. */
struct known_key *known_keys_find(const struct known_keys *known, uint64_t id);

/*
 * Adds a key that is not in the table, and takes over the caller's reference to `sessions`. Returns
 * NULL if out of memory; the caller then keeps the reference.
 */
struct known_key *known_keys_add(struct known_keys *known, uint64_t id,
                                 struct key_sessions *sessions);

/* Releases the sessions and frees the table. */
void known_keys_free(struct known_keys *known);

#endif
