/*
 * The keys of senders, read from a keys file: a line for each key (sender_key_line.h), empty lines
 * and comments after `#`. Several keys may have one name, so that a new key is given out before the
 * old one ends.
 *
 * The file holds secrets. It must be a regular file that belongs to this user or root and that
 * others cannot open. Keys are kept out of core dumps, are cleared when their table is freed, and
 * do not appear in error texts.
 *
 * A table never changes. A reload makes a new table, and passes the tables in use as `before`. A
 * key that has the same id and the same secret in two tables shares its sessions, so that both
 * tables may be in use at the same time. Listeners that read the same file share one table;
 * otherwise each of them could accept the same datagram once.
 *
 * Lifecycle: load, find, hold and release. Main thread: load and release; any thread: the rest.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SENDER_KEYS_H
#define SLUICE_COLLECTOR_SENDERS_SENDER_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/framing/sealed.h"
#include "collector/senders/key_sessions.h"
#include "collector/senders/sender_key_line.h"

/* The most keys of a file. */
#define SENDER_KEYS_MOST 65536

struct seal_state; /* seal_state.h */

struct sender_key {
    uint64_t id; /* the first member, which id_index.h requires */
    char name[SENDER_KEY_NAME_SIZE];
    int64_t not_before_ns, not_after_ns; /* the first and the last time at which it is valid */
    struct sealed_key seal;
    struct key_sessions *sessions; /* NULL in a table for sending */
    bool follows; /* the tables of before had this key with other sessions: sender_keys_follow */
};

static inline bool sender_key_is_valid(const struct sender_key *key, int64_t now_ns)
{
    return now_ns >= key->not_before_ns && now_ns <= key->not_after_ns;
}

struct sender_keys;

struct sender_keys_options {
    const char *path;
    bool for_sending;         /* the keys are only used to send, and need no sessions */
    bool apart;               /* later tables do not get the sessions: for a capture */
    struct seal_state *state; /* the state that has the sessions; NULL: none */

    /*
     * The tables in use, whatever files they are of: the sessions of the first that has the same
     * key are kept. Only read during the call.
     */
    const struct sender_keys *const *before;
    size_t before_count;

    /*
     * The floor of sessions that neither `before` nor `state` has: they accept only later times. It
     * is the program's start, or 0 for a capture, because nothing was accepted before a capture.
     */
    int64_t floor_ns;
};

/*
 * Loads libsodium (sealed_load) and the file. Returns 0 with *out for the caller to release, or -1
 * with `error` filled (EXIT_CODE_CONFIG): "FILE: line 3: ...". A file without keys is an error.
 */
int sender_keys_load(const struct sender_keys_options *options, struct sender_keys **out,
                     struct error *error);

/*
 * If a reload changed the state file, the new state does not have what was accepted before. So this
 * raises the floors of such keys above all that `before` accepted. Called for each table of before,
 * while no thread takes datagrams, as the new table comes into use.
 */
void sender_keys_follow(const struct sender_keys *keys, const struct sender_keys *before);

struct sender_keys *sender_keys_hold(struct sender_keys *keys);
/* Clears and frees the table with its last holder. NULL is allowed. */
void sender_keys_release(struct sender_keys *keys);

/* The keys in the order of the file. */
size_t sender_keys_count(const struct sender_keys *keys);
const struct sender_key *sender_keys_at(const struct sender_keys *keys, size_t index);

/* Returns the key with the id, valid now or not; NULL: there is none. */
const struct sender_key *sender_keys_find(const struct sender_keys *keys, uint64_t id);

/*
 * Returns the key to send with: of those with the name that are valid at `now_ns` the one whose
 * not-before is latest, or the last one of these in the file. `name` may be NULL if all keys have
 * the same name. Returns NULL with `error` filled (EXIT_CODE_CONFIG) if there is none.
 */
const struct sender_key *sender_keys_for_sending(const struct sender_keys *keys, const char *name,
                                                 int64_t now_ns, struct error *error);

/* Returns the bytes that the table and its keys' sessions allocate. */
size_t sender_keys_memory(const struct sender_keys *keys);

#endif
