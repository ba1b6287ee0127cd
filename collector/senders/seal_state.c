#include "collector/senders/seal_state.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/thread.h"
#include "collector/platform/wakeup.h"
#include "collector/senders/known_keys.h"
#include "collector/senders/seal_file.h"
#include "collector/senders/seal_image.h"

struct seal_state {
    _Atomic int64_t written_ns; /* ceiling of all keys */
    int64_t floor_ns;           /* floor of keys that are not in `known` */
    int64_t began_ns;           /* wall clock at the beginning of the last write */
    int64_t ahead_ns;           /* how far ahead the last write was */
    int64_t lasted_ns;          /* duration of the last successful write */
    struct log_limit slow_log;
    struct seal_file file;

    struct mutex *mutex; /* guards `known`, which the writing thread reads */
    struct known_keys known;

    struct seal_image image; /* used only by the writing thread while it runs */
    struct thread *thread;
    struct wakeup *wakeup;
    _Atomic bool stopping;
};

/* --- known keys ------------------------------------------------------------------------------- */

static struct known_key *add_known(struct seal_state *state, uint64_t id,
                                   const struct seal_sessions *earlier)
{
    struct key_sessions *sessions = key_sessions_restore(earlier, &state->written_ns);
    struct known_key *key = sessions != NULL ? known_keys_add(&state->known, id, sessions) : NULL;
    if (key == NULL)
        key_sessions_release(sessions);
    return key;
}

struct key_sessions *seal_state_sessions(struct seal_state *state, uint64_t id)
{
    struct seal_sessions none;
    mutex_lock(state->mutex);
    struct known_key *key = known_keys_find(&state->known, id);
    if (key == NULL) {
        seal_sessions_init(&none, state->floor_ns);
        key = add_known(state, id, &none);
    }
    struct key_sessions *sessions = NULL;
    if (key != NULL) {
        key->claimed = true;
        sessions = key->sessions;
    }
    mutex_unlock(state->mutex);
    return sessions;
}

/* --- writing ---------------------------------------------------------------------------------- */

static int write_image(struct seal_state *state, struct error *error)
{
    if (!seal_image_end(&state->image))
        return error_no_memory(error);
    return seal_file_write(&state->file, state->image.bytes, state->image.size, error);
}

/*
 * If the clock was set back, the file will get an earlier time, so the ceiling must be lowered
 * before the write.
 */
static void lower_ceiling(struct seal_state *state, int64_t common_ns)
{
    if (atomic_load(&state->written_ns) > common_ns)
        atomic_store(&state->written_ns, common_ns);
}

/*
 * Returns how far ahead of `now_ns` the time in the file must be. The ceiling rises only at the end
 * of a write, and the next write may take as long as the last one, so the result suffices for two
 * writes. When a slow disk becomes faster, the result decreases only as fast as time passes, so
 * that the ceiling is never lowered.
 */
static int64_t choose_ahead(const struct seal_state *state, int64_t now_ns)
{
    const int64_t most_ns = SEAL_STATE_AHEAD_MOST_NS - SEAL_STATE_AHEAD_NS;
    const int64_t two_ns = state->lasted_ns < most_ns / 2 ? 2 * state->lasted_ns : most_ns;
    const int64_t passed_ns = now_ns > state->began_ns ? now_ns - state->began_ns : 0;
    const int64_t left_ns = state->ahead_ns - passed_ns;
    const int64_t wanted_ns = SEAL_STATE_AHEAD_NS + two_ns;
    return wanted_ns > left_ns ? wanted_ns : left_ns;
}

static void plan_floors(struct seal_state *state, int64_t now_ns, int64_t ahead_ns,
                        int64_t common_ns)
{
    for (size_t i = 0; i < state->known.count; i++) {
        int64_t own_ns =
            key_sessions_plan(state->known.keys[i].sessions, now_ns, ahead_ns, common_ns);
        if (own_ns != 0)
            seal_image_add_floor(&state->image, state->known.keys[i].id, own_ns);
    }
}

static void allow_floors(struct seal_state *state, int64_t common_ns)
{
    struct seal_image_reader reader;
    struct seal_sessions sessions;
    uint64_t id;
    atomic_store(&state->written_ns, common_ns);
    const char *fault = seal_image_open(state->image.bytes, state->image.size, &reader);
    RULE(fault == NULL, "what was written can be read");
    while (seal_image_next(&reader, &id, &sessions))
        key_sessions_allow(known_keys_find(&state->known, id)->sessions, sessions.floor_ns);
}

static int write_ahead(struct seal_state *state, int64_t now_ns, struct error *error)
{
    const int64_t ahead_ns = choose_ahead(state, now_ns);
    const int64_t later_ns = now_ns + ahead_ns;
    const int64_t common_ns = later_ns > state->floor_ns ? later_ns : state->floor_ns;
    state->began_ns = now_ns;
    state->ahead_ns = ahead_ns;
    lower_ceiling(state, common_ns);
    seal_image_begin(&state->image, false, common_ns);
    mutex_lock(state->mutex);
    plan_floors(state, now_ns, ahead_ns, common_ns);
    mutex_unlock(state->mutex);
    if (write_image(state, error) != 0)
        return -1;
    mutex_lock(state->mutex);
    allow_floors(state, common_ns);
    mutex_unlock(state->mutex);
    return 0;
}

static int write_measured(struct seal_state *state, int64_t now_ns, struct error *error)
{
    const int64_t begin_ns = clock_monotonic_ns();
    if (write_ahead(state, now_ns, error) != 0)
        return -1;
    state->lasted_ns = clock_monotonic_ns() - begin_ns;
    return 0;
}

/*
 * Logs a write that ended after the time in the file (the ceiling). Does not log it if the write
 * began late but was not slow: the program was then suspended, or the clock was set forward.
 */
static void report_slowness(struct seal_state *state, int64_t late_ns)
{
    uint64_t held;
    if (late_ns > 0 && state->lasted_ns > SEAL_STATE_WRITES_NS &&
        log_allowed(&state->slow_log, &held))
        log_line(LOG_WARNING,
                 "%s: a write took %.1f s; sealed datagrams that came in its last %.1f s were "
                 "refused as stale; put state= on a faster disk (%llu such writes not logged)",
                 state->file.path, (double)state->lasted_ns / 1e9,
                 (double)(late_ns < state->lasted_ns ? late_ns : state->lasted_ns) / 1e9,
                 (unsigned long long)held);
}

int seal_state_write(struct seal_state *state, int64_t now_ns, struct error *error)
{
    const int64_t ceiling_ns = atomic_load(&state->written_ns);
    if (write_measured(state, now_ns, error) != 0)
        return -1;
    report_slowness(state, now_ns + state->lasted_ns - ceiling_ns);
    return 0;
}

/* --- the writing thread ----------------------------------------------------------------------- */

static void report_failure(struct log_limit *limit, const struct error *error)
{
    uint64_t held;
    if (log_allowed(limit, &held))
        log_line(LOG_ERROR,
                 "%s; sealed datagrams are refused as stale until this succeeds (%llu "
                 "such failures not logged)",
                 error->text, (unsigned long long)held);
}

static void write_often(void *argument)
{
    struct seal_state *state = argument;
    struct log_limit limit = {0};
    struct error error;
    while (!atomic_load(&state->stopping)) {
        const int64_t next_ns = clock_monotonic_ns() + SEAL_STATE_WRITES_NS;
        if (seal_state_write(state, clock_wall_ns(), &error) != 0)
            report_failure(&limit, &error);
        wakeup_wait(state->wakeup, NO_HANDLE, false,
                    milliseconds_until(next_ns, clock_monotonic_ns()));
    }
}

int seal_state_start(struct seal_state *state, struct error *error)
{
    RULE(state->thread == NULL, "a state has one thread");
    return thread_start(&state->thread, "seal state", write_often, state, error);
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Reads an image into the state. If `state` is NULL, only checks the bytes. */
static int take_image(struct seal_state *state, const char *path, const uint8_t *bytes, size_t size,
                      struct error *error)
{
    struct seal_image_reader reader;
    struct seal_sessions sessions;
    uint64_t id;
    const char *fault = seal_image_open(bytes, size, &reader);
    if (fault != NULL) {
        error_set(error, EXIT_CODE_CONFIG,
                  "%s: %s; without it, datagrams that were accepted before may be accepted again: "
                  "restore it, or remove it",
                  path, fault);
        return -1;
    }
    if (state == NULL)
        return 0;
    state->floor_ns = reader.floor_ns;
    while (seal_image_next(&reader, &id, &sessions))
        if (known_keys_find(&state->known, id) == NULL && add_known(state, id, &sessions) == NULL)
            return error_no_memory(error);
    return 0;
}

static int read_file(struct seal_state *state, const struct seal_file *file, struct error *error)
{
    uint8_t *bytes;
    size_t size;
    if (seal_file_read(file, &bytes, &size, error) != 0)
        return -1;
    int result = bytes == NULL ? 0 : take_image(state, file->path, bytes, size, error);
    free(bytes);
    return result;
}

int seal_state_check(const char *path, struct error *error)
{
    struct seal_file file;
    int result = seal_file_open(&file, path, error);
    if (result == 0)
        result = read_file(NULL, &file, error);
    seal_file_close(&file);
    return result;
}

static void free_state(struct seal_state *state)
{
    known_keys_free(&state->known);
    if (state->wakeup != NULL)
        wakeup_destroy(state->wakeup);
    mutex_destroy(state->mutex);
    seal_file_close(&state->file);
    free(state->image.bytes);
    free(state);
}

/*
 * Writes the file for the first time. On a slow disk, the written time has passed when the write
 * ends. The file is then written again, with a time further ahead.
 */
static int write_first(struct seal_state *state, int64_t now_ns, struct error *error)
{
    if (write_measured(state, now_ns, error) != 0)
        return -1;
    return state->lasted_ns <= SEAL_STATE_WRITES_NS
               ? 0
               : write_measured(state, now_ns + state->lasted_ns, error);
}

static int open_parts(struct seal_state *state, const char *path, int64_t now_ns,
                      struct error *error)
{
    state->mutex = mutex_create();
    if (state->mutex == NULL)
        return error_no_memory(error);
    if (wakeup_create(&state->wakeup, error) != 0 ||
        seal_file_open(&state->file, path, error) != 0 ||
        seal_file_lock(&state->file, error) != 0 || read_file(state, &state->file, error) != 0)
        return -1;
    if (write_first(state, now_ns, error) == 0)
        return 0;
    error->code = EXIT_CODE_CONFIG;
    return -1;
}

int seal_state_open(const char *path, int64_t now_ns, struct seal_state **out, struct error *error)
{
    struct seal_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return error_no_memory(error);
    atomic_init(&state->written_ns, now_ns);
    state->floor_ns = state->began_ns = now_ns;
    if (open_parts(state, path, now_ns, error) != 0) {
        free_state(state);
        return -1;
    }
    *out = state;
    return 0;
}

/* --- the end ---------------------------------------------------------------------------------- */

/*
 * Raises the floor of unknown keys before a key leaves the file. The key then counts as unknown, so
 * this floor must not be below the times that the key has accepted.
 */
static void fold_key(struct seal_state *state, const struct known_key *key, int64_t now_ns)
{
    int64_t latest_ns = key_sessions_latest(key->sessions);
    if (!key->claimed && latest_ns < now_ns - SEAL_STATE_KEPT_NS && latest_ns > state->floor_ns)
        state->floor_ns = latest_ns;
}

static void add_windows(struct seal_state *state, const struct known_key *key, int64_t now_ns)
{
    struct seal_sessions sessions;
    key_sessions_copy(key->sessions, &sessions);
    if (key->claimed || seal_sessions_latest(&sessions) >= now_ns - SEAL_STATE_KEPT_NS)
        seal_image_add(&state->image, key->id, &sessions);
}

static int write_windows(struct seal_state *state, int64_t now_ns, struct error *error)
{
    for (size_t i = 0; i < state->known.count; i++)
        fold_key(state, &state->known.keys[i], now_ns);
    seal_image_begin(&state->image, true, state->floor_ns);
    for (size_t i = 0; i < state->known.count; i++)
        add_windows(state, &state->known.keys[i], now_ns);
    return write_image(state, error);
}

void seal_state_close(struct seal_state *state, int64_t now_ns)
{
    struct error error;
    if (state == NULL)
        return;
    atomic_store(&state->stopping, true);
    wakeup_signal(state->wakeup);
    thread_join(state->thread);
    if (write_windows(state, now_ns, &error) != 0)
        log_line(LOG_ERROR, "%s; the next start accepts nothing that was sent until now",
                 error.text);
    free_state(state);
}
