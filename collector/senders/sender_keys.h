/*
 * Loads the keys of senders from a keys file: a line for each key (sender_key_line.h), empty lines,
 * and comments after `#`. Several keys may have the same name, so that a new key can be distributed
 * before the old one ends.
 *
 * The file contains secrets. It must be a regular file that belongs to this user or root and that
 * others cannot open. Keys are kept out of core dumps, are cleared when their table is freed, and
 * do not appear in error texts.
 *
 * A table never changes. A reload creates a new table, and passes the existing tables as `before`.
 * A key with the same id and secret in two tables shares its sessions, so that both tables may be
 * used at the same time. Listeners that read the same file share one table, because otherwise each
 * of them could accept the same datagram.
 *
 * Lifecycle: load, find, hold and release. Main thread: load and release; any thread: other
 * functions.
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

/* The upper limit of keys in a file. */
#define SENDER_KEYS_MOST 65536

struct seal_state;

struct sender_key {
    uint64_t id; /* must be the first member (id_index.h) */
    char name[SENDER_KEY_NAME_SIZE];
    int64_t not_before_ns, not_after_ns; /* first and last time at which the key is valid */
    struct sealed_key seal;
    struct key_sessions *sessions; /* NULL in a table for sending */
    bool follows;                  /* true: a table in `before` has this key with other sessions
                                    * (sender_keys_follow) */
};

static inline bool sender_key_is_valid(const struct sender_key *key, int64_t now_ns)
{
    return now_ns >= key->not_before_ns && now_ns <= key->not_after_ns;
}

struct sender_keys;

struct sender_keys_options {
    const char *path;
    bool for_sending;         /* the keys are only used for sending, and need no sessions */
    bool apart;               /* true: later tables do not share the sessions of this table. Set for
                               * a capture. */
    struct seal_state *state; /* provides the sessions; may be NULL */

    /*
     * The existing tables of keys, also those of other files. If one of them has the same key, the
     * new table uses that table's sessions. Only read during the call.
     */
    const struct sender_keys *const *before;
    size_t before_count;

    /*
     * The floor of sessions that neither `before` nor `state` has: such sessions accept only times
     * after it. It is the start of the program; for a capture it is 0, because nothing was accepted
     * before.
     */
    int64_t floor_ns;
};

/*
 * Loads libsodium (sealed_load) and the file. Returns 0 with *out, which the caller releases; or -1
 * with `error` filled (EXIT_CODE_CONFIG): "FILE: line 3: ...". A file without keys is an error.
 */
int sender_keys_load(const struct sender_keys_options *options, struct sender_keys **out,
                     struct error *error);

/*
 * A reload can move keys to another state file. The new state file does not know the datagrams that
 * the table `before` accepted. This function raises the floors of such keys to the latest time that
 * `before` accepted. Call it once for each existing table when the new table comes into use, while
 * no thread takes datagrams.
 */
void sender_keys_follow(const struct sender_keys *keys, const struct sender_keys *before);

struct sender_keys *sender_keys_hold(struct sender_keys *keys);
/* The last release clears and frees the table. NULL is allowed. */
void sender_keys_release(struct sender_keys *keys);

/* The keys are in the order of the file. */
size_t sender_keys_count(const struct sender_keys *keys);
const struct sender_key *sender_keys_at(const struct sender_keys *keys, size_t index);

/* Returns the key with this id, even if it is not valid now, or NULL. */
const struct sender_key *sender_keys_find(const struct sender_keys *keys, uint64_t id);

/*
 * Returns the key to send with. Only keys with this name that are valid at `now_ns` are considered;
 * the one with the latest not-before is returned, or the last one of these in the file. `name` may
 * be NULL if all keys have the same name. Returns NULL with `error` filled (EXIT_CODE_CONFIG) if
 * there is no such key.
 */
const struct sender_key *sender_keys_for_sending(const struct sender_keys *keys, const char *name,
                                                 int64_t now_ns, struct error *error);

/* Returns the bytes that the table and the sessions of its keys allocate. */
size_t sender_keys_memory(const struct sender_keys *keys);

#endif
