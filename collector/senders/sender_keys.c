#include "collector/senders/sender_keys.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/machine.h"
#include "collector/senders/id_index.h"
#include "collector/senders/keys_file.h"
#include "collector/senders/seal_state.h"

struct sender_keys {
    _Atomic unsigned holders;
    size_t count, room;
    struct sender_key *keys; /* in memory that core dumps omit */
    struct id_index index;
    bool for_sending;
    bool apart; /* no other table shares its sessions */
};

/* --- memory ----------------------------------------------------------------------------------- */

static size_t keys_size(size_t room)
{
    return room * sizeof(struct sender_key);
}

static struct sender_keys *create_keys(size_t room, const struct sender_keys_options *options)
{
    struct sender_keys *keys = calloc(1, sizeof *keys);
    size_t places = 2;
    while (places < 2 * room)
        places *= 2;
    if (keys == NULL)
        return NULL;
    atomic_init(&keys->holders, 1);
    keys->room = room;
    keys->for_sending = options->for_sending;
    keys->apart = options->apart;
    keys->index = (struct id_index){calloc(places, sizeof(uint32_t)), places - 1};
    keys->keys = secret_memory_create(keys_size(room));
    if (keys->index.places == NULL || keys->keys == NULL) {
        sender_keys_release(keys);
        return NULL;
    }
    return keys;
}

struct sender_keys *sender_keys_hold(struct sender_keys *keys)
{
    atomic_fetch_add_explicit(&keys->holders, 1, memory_order_relaxed);
    return keys;
}

void sender_keys_release(struct sender_keys *keys)
{
    if (keys == NULL || atomic_fetch_sub_explicit(&keys->holders, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < keys->count; i++)
        key_sessions_release(keys->keys[i].sessions);
    secret_memory_destroy(keys->keys, keys_size(keys->room));
    free(keys->index.places);
    free(keys);
}

size_t sender_keys_memory(const struct sender_keys *keys)
{
    size_t sessions = keys->for_sending ? 0 : keys->count * key_sessions_memory();
    return sizeof *keys + secret_memory_size(keys_size(keys->room)) +
           (keys->index.mask + 1) * sizeof(uint32_t) + sessions;
}

/* --- searching -------------------------------------------------------------------------------- */

size_t sender_keys_count(const struct sender_keys *keys)
{
    return keys->count;
}

const struct sender_key *sender_keys_at(const struct sender_keys *keys, size_t index)
{
    RULE(index < keys->count, "a key is in its table");
    return &keys->keys[index];
}

static uint32_t *place_of(const struct sender_keys *keys, uint64_t id)
{
    return id_index_place(&keys->index, keys->keys, sizeof *keys->keys, id);
}

const struct sender_key *sender_keys_find(const struct sender_keys *keys, uint64_t id)
{
    uint32_t number = *place_of(keys, id);
    return number == 0 ? NULL : &keys->keys[number - 1];
}

static bool has_one_name(const struct sender_keys *keys)
{
    for (size_t i = 1; i < keys->count; i++)
        if (strcmp(keys->keys[i].name, keys->keys[0].name) != 0)
            return false;
    return true;
}

const struct sender_key *sender_keys_for_sending(const struct sender_keys *keys, const char *name,
                                                 int64_t now_ns, struct error *error)
{
    const struct sender_key *best = NULL;
    bool known = false;
    if (name == NULL && !has_one_name(keys)) {
        error_set(error, EXIT_CODE_CONFIG, "the keys file has several names: say which to send as");
        return NULL;
    }
    for (size_t i = 0; i < keys->count; i++) {
        const struct sender_key *key = &keys->keys[i];
        if (name != NULL && strcmp(key->name, name) != 0)
            continue;
        known = true;
        if (sender_key_is_valid(key, now_ns) &&
            (best == NULL || key->not_before_ns >= best->not_before_ns))
            best = key;
    }
    if (best == NULL)
        error_set(error, EXIT_CODE_CONFIG, "the keys file has no key %s%s%s",
                  name != NULL ? "of " : "", name != NULL ? name : "",
                  known ? (name != NULL ? " that is valid now" : "that is valid now") : "");
    return best;
}

/* --- loading ---------------------------------------------------------------------------------- */

/*
 * Returns the key with the same id and secret in another table, or NULL. Name and times may differ.
 */
static const struct sender_key *find_same(const struct sender_keys *keys,
                                          const struct sender_key *key)
{
    const struct sender_key *same = keys->apart ? NULL : sender_keys_find(keys, key->id);
    return same != NULL && sealed_key_is_same(&same->seal, &key->seal) ? same : NULL;
}

static struct key_sessions *sessions_before(const struct sender_keys_options *options,
                                            const struct sender_key *key)
{
    for (size_t i = 0; i < options->before_count; i++) {
        const struct sender_key *same = find_same(options->before[i], key);
        if (same != NULL)
            return key_sessions_hold(same->sessions);
    }
    return key_sessions_create(options->floor_ns);
}

/* Returns true if a table in `before` has this key, but no table has it with these sessions. */
static bool has_other_sessions(const struct sender_keys_options *options,
                               const struct sender_key *key)
{
    bool found = false;
    for (size_t i = 0; i < options->before_count; i++) {
        const struct sender_key *same = find_same(options->before[i], key);
        if (same != NULL && same->sessions == key->sessions)
            return false;
        found = found || same != NULL;
    }
    return found;
}

/*
 * Sets the sessions of a key. With a state file the sessions come from the state, which also has
 * those of earlier runs.
 */
static bool set_sessions(const struct sender_keys_options *options, struct sender_key *key)
{
    if (options->state == NULL) {
        key->sessions = sessions_before(options, key);
        return key->sessions != NULL;
    }
    struct key_sessions *sessions = seal_state_sessions(options->state, key->id);
    if (sessions == NULL)
        return false;
    key->sessions = key_sessions_hold(sessions);
    key->follows = has_other_sessions(options, key);
    return true;
}

void sender_keys_follow(const struct sender_keys *keys, const struct sender_keys *before)
{
    for (size_t i = 0; i < keys->count; i++) {
        const struct sender_key *key = &keys->keys[i];
        const struct sender_key *same = key->follows ? find_same(before, key) : NULL;
        if (same != NULL && same->sessions != key->sessions)
            key_sessions_raise_floor(key->sessions, key_sessions_latest(same->sessions));
    }
}

struct loading {
    const struct sender_keys_options *options;
    struct sender_keys *keys;
};

static const char *add_key(void *context, const struct sender_key_line *line)
{
    const struct loading *loading = context;
    struct sender_keys *keys = loading->keys;
    uint32_t *place = place_of(keys, line->id);
    if (*place != 0)
        return "an earlier line has the same key id";
    RULE(keys->count < keys->room, "each line of a keys file has room for its key");
    struct sender_key *key = &keys->keys[keys->count];
    *key = (struct sender_key){
        .id = line->id, .not_before_ns = line->not_before_ns, .not_after_ns = line->not_after_ns};
    memcpy(key->name, line->name, sizeof key->name);
    sealed_key_derive(line->key, &key->seal);
    if (!keys->for_sending && !set_sessions(loading->options, key))
        return "out of memory";
    *place = (uint32_t)++keys->count;
    return NULL;
}

static int fill_keys(struct keys_file *file, struct loading *loading, struct error *error)
{
    if (keys_file_each(file, add_key, loading, error) != 0)
        return -1;
    if (loading->keys->count != 0)
        return 0;
    error_set(error, EXIT_CODE_CONFIG, "%s: no keys; make one: sluice keygen NAME",
              loading->options->path);
    return -1;
}

int sender_keys_load(const struct sender_keys_options *options, struct sender_keys **out,
                     struct error *error)
{
    struct keys_file file;
    if (sealed_load(error) != 0 || keys_file_open(options->path, &file, error) != 0)
        return -1;
    struct loading loading = {.options = options,
                              .keys = create_keys(keys_file_lines(&file), options)};
    int result = loading.keys == NULL ? error_no_memory(error) : fill_keys(&file, &loading, error);
    keys_file_close(&file);
    if (result != 0)
        sender_keys_release(loading.keys);
    else
        *out = loading.keys;
    return result;
}
