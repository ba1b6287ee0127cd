#include "collector/senders/seal_window.h"

#include <stdbool.h>
#include <string.h>

#include "collector/base/rule.h"

void seal_sessions_init_small(struct seal_sessions *sessions, int64_t floor_ns, uint32_t width,
                              uint32_t count)
{
    RULE(width != 0 && width <= SEAL_WINDOW && (width & (width - 1)) == 0 && count != 0 &&
             count <= SEAL_SESSIONS,
         "a window and its sessions have room");
    memset(sessions, 0, sizeof *sessions);
    sessions->floor_ns = floor_ns;
    sessions->width = width;
    sessions->count = count;
}

void seal_sessions_init(struct seal_sessions *sessions, int64_t floor_ns)
{
    seal_sessions_init_small(sessions, floor_ns, SEAL_WINDOW, SEAL_SESSIONS);
}

int64_t seal_sessions_latest(const struct seal_sessions *sessions)
{
    int64_t latest_ns = sessions->floor_ns;
    for (uint32_t i = 0; i < sessions->count; i++) {
        const struct seal_session *slot = &sessions->slots[i];
        if (slot->highest != 0 && slot->latest_ns > latest_ns)
            latest_ns = slot->latest_ns;
    }
    return latest_ns;
}

void seal_sessions_raise_floor(struct seal_sessions *sessions, int64_t floor_ns)
{
    if (floor_ns > sessions->floor_ns)
        sessions->floor_ns = floor_ns;
    for (uint32_t i = 0; i < sessions->count; i++)
        if (floor_ns > sessions->slots[i].floor_ns)
            sessions->slots[i].floor_ns = floor_ns;
}

/* --- one session's window --------------------------------------------------------------------- */

static uint64_t *word_of(struct seal_session *slot, uint32_t width, uint64_t counter, uint64_t *bit)
{
    uint64_t index = counter & (width - 1);
    *bit = UINT64_C(1) << index % 64;
    return &slot->seen[index / 64];
}

/* Moves the window up to `counter`, and clears the bits of the counters in between. */
static void advance(struct seal_session *slot, uint32_t width, uint64_t counter)
{
    if (counter - slot->highest >= width) {
        memset(slot->seen, 0, sizeof slot->seen);
    } else {
        for (uint64_t passed = slot->highest + 1; passed != counter; passed++) {
            uint64_t bit;
            uint64_t *word = word_of(slot, width, passed, &bit);
            *word &= ~bit;
        }
    }
    slot->highest = counter;
}

/* Marks a counter as seen. Returns false if it was already seen, or is below the window. */
static bool mark(struct seal_session *slot, uint32_t width, uint64_t counter)
{
    uint64_t bit;
    uint64_t *word = word_of(slot, width, counter, &bit);
    if (counter <= slot->highest && (slot->highest - counter >= width || (*word & bit) != 0))
        return false;
    if (counter > slot->highest)
        advance(slot, width, counter);
    *word |= bit;
    return true;
}

/* --- a key's sessions ------------------------------------------------------------------------- */

static struct seal_session *find_session(struct seal_sessions *sessions, uint64_t session)
{
    for (uint32_t i = 0; i < sessions->count; i++) {
        struct seal_session *slot = &sessions->slots[i];
        if (slot->highest != 0 && slot->session == session)
            return slot;
    }
    return NULL;
}

/*
 * Returns a free slot. If there is none, returns the slot of the session with the oldest latest
 * time.
 */
static struct seal_session *choose_slot(struct seal_sessions *sessions)
{
    struct seal_session *chosen = &sessions->slots[0];
    for (uint32_t i = 0; i < sessions->count; i++) {
        struct seal_session *slot = &sessions->slots[i];
        if (slot->highest == 0)
            return slot;
        if (slot->latest_ns < chosen->latest_ns)
            chosen = slot;
    }
    return chosen;
}

/*
 * Begins a session. Its floor is the key's floor before this call. If another session must be
 * forgotten, the key's floor rises, but only because of the forgotten session.
 */
static struct seal_session *begin_session(struct seal_sessions *sessions, uint64_t session,
                                          int64_t time_ns)
{
    const int64_t floor_ns = sessions->floor_ns;
    struct seal_session *slot = choose_slot(sessions);
    if (slot->highest != 0 && slot->latest_ns > floor_ns)
        sessions->floor_ns = slot->latest_ns;
    *slot = (struct seal_session){.session = session, .latest_ns = time_ns, .floor_ns = floor_ns};
    return slot;
}

int64_t seal_sessions_floor(struct seal_sessions *sessions, uint64_t session)
{
    const struct seal_session *slot = find_session(sessions, session);
    return slot != NULL ? slot->floor_ns : sessions->floor_ns;
}

enum seal_verdict seal_sessions_take(struct seal_sessions *sessions, uint64_t session,
                                     uint64_t counter, int64_t time_ns)
{
    struct seal_session *slot = find_session(sessions, session);
    if (time_ns <= (slot != NULL ? slot->floor_ns : sessions->floor_ns))
        return SEAL_STALE;
    if (slot == NULL)
        slot = begin_session(sessions, session, time_ns);
    if (!mark(slot, sessions->width, counter))
        return SEAL_REPLAYED;
    if (time_ns > slot->latest_ns)
        slot->latest_ns = time_ns;
    return SEAL_ACCEPTED;
}
