#include "collector/pipeline/pipeline_keys.h"

#include <stdlib.h>
#include <string.h>

#include "collector/config/config.h"
#include "collector/pipeline/pipeline_parts.h"
#include "collector/platform/clock.h"
#include "collector/senders/seal_state.h"
#include "collector/senders/sender_keys.h"
#include "collector/text/copy.h"
#include "collector/text/text.h"

/* An open state file. It stays open if its listener is removed, because the listener may return. */
struct key_state {
    struct key_state *next;
    char *path;
    struct seal_state *state;
    bool started;
};

/*
 * Returns true if the listener may share its keys with others. A capture does not: it is read as if
 * no other datagrams had been received, and may be read while a reload changes the keys of other
 * listeners.
 */
static bool shares_keys(const struct listener_config *listener)
{
    return listener_is_sealed(listener) && (listener->source->keys & SOURCE_KEYS_CAPTURE) == 0;
}

/* Returns the index of the first listener that shares its keys with this one, perhaps itself. */
static size_t first_with_keys(const struct config *config, size_t index)
{
    const struct listener_config *listener = &config->listeners[index];
    for (size_t i = 0; i < index && shares_keys(listener); i++)
        if (shares_keys(&config->listeners[i]) &&
            strcmp(config->listeners[i].keys, listener->keys) == 0)
            return i;
    return index;
}

static int load(const struct listener_config *listener, const struct sender_keys_options *more,
                struct sender_keys **keys, struct error *error)
{
    struct sender_keys_options options = *more;
    options.path = listener->keys;
    if (sender_keys_load(&options, keys, error) == 0)
        return 0;
    error_place(error, listener->written_at);
    return -1;
}

/* --- state files ------------------------------------------------------------------------------ */

/* All listeners with the same keys must have the same state file. */
static int check_state(const struct config *config, size_t index, struct error *error)
{
    struct error why;
    const struct listener_config *listener = &config->listeners[index];
    const struct listener_config *first = &config->listeners[first_with_keys(config, index)];
    if (!same_text(listener->seal_state, first->seal_state))
        error_set(error, EXIT_CODE_CONFIG,
                  "%s: listeners with the same keys= need the same state=; see %s", listener->name,
                  first->name);
    else if (listener->seal_state == NULL || seal_state_check(listener->seal_state, &why) == 0)
        return 0;
    else
        error_set(error, why.code, "%s: %s", listener->name, why.text);
    error_place(error, listener->written_at);
    return -1;
}

static struct key_state *add_state(struct pipeline *pipeline, const char *path, struct error *error)
{
    struct key_state *added = calloc(1, sizeof *added);
    if (added == NULL || (added->path = text_copy_all(path)) == NULL) {
        free(added);
        error_no_memory(error);
        return NULL;
    }
    if (seal_state_open(path, clock_wall_ns(), &added->state, error) != 0) {
        free(added->path);
        free(added);
        return NULL;
    }
    added->next = pipeline->states;
    pipeline->states = added;
    return added;
}

/*
 * Opens the listener's state file, unless it is open, and sets *state to it. Sets *state to NULL if
 * the listener has no state file.
 */
static int find_state(struct pipeline *pipeline, const struct listener_config *listener,
                      struct seal_state **state, struct error *error)
{
    *state = NULL;
    if (listener->seal_state == NULL)
        return 0;
    struct key_state *found = pipeline->states;
    while (found != NULL && strcmp(found->path, listener->seal_state) != 0)
        found = found->next;
    if (found == NULL && (found = add_state(pipeline, listener->seal_state, error)) == NULL) {
        error_place(error, listener->written_at);
        return -1;
    }
    *state = found->state;
    return 0;
}

int pipeline_start_states(const struct pipeline *pipeline, struct error *error)
{
    for (struct key_state *each = pipeline->states; each != NULL; each = each->next) {
        if (!each->started && seal_state_start(each->state, error) != 0)
            return -1;
        each->started = true;
    }
    return 0;
}

void pipeline_close_states(struct pipeline *pipeline)
{
    while (pipeline->states != NULL) {
        struct key_state *closed = pipeline->states;
        pipeline->states = closed->next;
        seal_state_close(closed->state, clock_wall_ns());
        free(closed->path);
        free(closed);
    }
}

/* --- keys ------------------------------------------------------------------------------------- */

int pipeline_keys_memory(const struct config *config, uint64_t *bytes, struct error *error)
{
    static const struct sender_keys_options bare = {.for_sending = true};
    *bytes = 0;
    for (size_t i = 0; i < config->listener_count; i++) {
        struct sender_keys *keys;
        if (!listener_is_sealed(&config->listeners[i]))
            continue;
        if (check_state(config, i, error) != 0)
            return -1;
        if (first_with_keys(config, i) != i)
            continue;
        if (load(&config->listeners[i], &bare, &keys, error) != 0)
            return -1;
        *bytes += sender_keys_memory(keys) + sender_keys_count(keys) * key_sessions_memory();
        sender_keys_release(keys);
    }
    return 0;
}

/* Returns the table of the present listeners that read the same file, or NULL. */
static const struct sender_keys *present_keys(const struct pipeline *pipeline,
                                              const struct listener_config *listener)
{
    for (size_t i = 0; shares_keys(listener) && i < pipeline->config->listener_count; i++) {
        const struct listener_config *present = &pipeline->config->listeners[i];
        if (pipeline->sources[i] != NULL && shares_keys(present) &&
            strcmp(present->keys, listener->keys) == 0)
            return pipeline->sources[i]->keys;
    }
    return NULL;
}

static void add_table(const struct sender_keys **list, size_t *count,
                      const struct sender_keys *table)
{
    for (size_t i = 0; i < *count; i++)
        if (list[i] == table)
            return;
    if (table != NULL)
        list[(*count)++] = table;
}

/*
 * Lists the key tables of all present and leaving listeners. The table of the same file, if there
 * is one, is the first. The other tables are searched too, because the file may have been renamed.
 * Returns NULL if memory is short; the caller frees the list.
 */
static const struct sender_keys **list_tables(const struct pipeline *pipeline,
                                              const struct listener_config *listener, size_t *count)
{
    const struct sender_keys **list = calloc(1 + pipeline->known_count, sizeof *list);
    *count = 0;
    if (list == NULL || !shares_keys(listener))
        return list;
    add_table(list, count, present_keys(pipeline, listener));
    for (size_t i = 0; i < pipeline->known_count; i++)
        add_table(list, count, pipeline->known[i]->keys);
    return list;
}

static void release_keys(struct sender_keys **tables, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sender_keys_release(tables[i]);
        tables[i] = NULL;
    }
}

/*
 * Makes the table of a listener's keys. The program does not remember the datagrams of an earlier
 * run, so a new key accepts only datagrams that are sent from now on. For a capture, a key accepts
 * datagrams of any time.
 */
static int make_keys(struct pipeline *pipeline, const struct listener_config *listener,
                     struct sender_keys **keys, struct error *error)
{
    struct sender_keys_options options = {
        .apart = !shares_keys(listener),
        .floor_ns = shares_keys(listener) ? clock_wall_ns() : 0,
    };
    const struct sender_keys **list = list_tables(pipeline, listener, &options.before_count);
    if (list == NULL)
        return error_no_memory(error);
    options.before = list;
    int result = find_state(pipeline, listener, &options.state, error);
    if (result == 0)
        result = load(listener, &options, keys, error);
    free(list);
    return result;
}

int pipeline_make_keys(struct pipeline *pipeline, const struct config *config,
                       struct sender_keys **tables, struct error *error)
{
    for (size_t i = 0; i < config->listener_count; i++) {
        const struct listener_config *listener = &config->listeners[i];
        size_t first = first_with_keys(config, i);
        tables[i] = NULL;
        if (!listener_is_sealed(listener))
            continue;
        if (first != i)
            tables[i] = sender_keys_hold(tables[first]);
        else if (make_keys(pipeline, listener, &tables[i], error) != 0) {
            release_keys(tables, i);
            return -1;
        }
    }
    return 0;
}

void pipeline_follow_keys(const struct pipeline *pipeline, const struct sender_keys *keys)
{
    for (size_t i = 0; i < pipeline->known_count; i++)
        if (pipeline->known[i]->keys != NULL)
            sender_keys_follow(keys, pipeline->known[i]->keys);
}

void pipeline_give_keys(struct source *source, struct sender_keys *keys)
{
    sender_keys_release(source->keys);
    source->keys = keys;
    source->listener.keys = keys;
}
