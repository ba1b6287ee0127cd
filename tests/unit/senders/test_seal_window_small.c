/*
 * Tries every order of datagrams with small windows. Compares seal_window.h with a simple model of
 * its rules, and asserts that none is accepted twice.
 */
#include <stdbool.h>
#include <string.h>

#include "collector/senders/seal_window.h"
#include "tests/support/test.h"

#define SESSIONS_MAX 4
#define COUNTERS_MAX 7

/*
 * The sizes of the windows in a test, and the datagrams that may come. `time_of` returns the time
 * that is in a datagram.
 */
struct world {
    uint32_t width, slots;
    uint64_t sessions, counters;
    int64_t (*time_of)(uint64_t session, uint64_t counter);
    unsigned depth; /* number of datagrams in an order */
};

/* --- the rules as a simple model -------------------------------------------------------------- */

struct plain_session {
    bool known;
    bool accepted[COUNTERS_MAX + 1];
    uint64_t highest;
    int64_t latest, floor;
};

struct plain {
    int64_t floor;
    struct plain_session sessions[SESSIONS_MAX];
};

static void forget_oldest(struct plain *plain, const struct world *world)
{
    struct plain_session *oldest = NULL;
    uint64_t known = 0;
    for (uint64_t i = 0; i < world->sessions; i++) {
        struct plain_session *one = &plain->sessions[i];
        known += one->known;
        if (one->known && (oldest == NULL || one->latest < oldest->latest))
            oldest = one;
    }
    if (known < world->slots)
        return;
    if (oldest->latest > plain->floor)
        plain->floor = oldest->latest;
    *oldest = (struct plain_session){.known = false};
}

static enum seal_verdict take_plainly(struct plain *plain, const struct world *world,
                                      uint64_t session, uint64_t counter)
{
    struct plain_session *one = &plain->sessions[session];
    int64_t time = world->time_of(session, counter);
    int64_t floor = one->known ? one->floor : plain->floor;
    if (time <= floor)
        return SEAL_STALE;
    if (!one->known) {
        forget_oldest(plain, world);
        *one = (struct plain_session){.known = true, .floor = floor};
    }
    if (one->accepted[counter] || counter + world->width <= one->highest)
        return SEAL_REPLAYED;
    one->accepted[counter] = true;
    one->highest = counter > one->highest ? counter : one->highest;
    one->latest = time > one->latest ? time : one->latest;
    return SEAL_ACCEPTED;
}

/* --- every order ------------------------------------------------------------------------------ */

/*
 * Tries each next datagram, up to `depth` of them. If the latest times of two sessions were equal,
 * either session could be forgotten first. So `time_of` must return a different time for each
 * session.
 */
static void explore(const struct world *world, const struct seal_sessions *sessions,
                    const struct plain *plain, uint32_t accepted, unsigned depth)
{
    for (uint64_t i = 0; i < world->sessions * world->counters; i++) {
        struct seal_sessions next = *sessions;
        struct plain next_plain = *plain;
        uint64_t session = i / world->counters, counter = i % world->counters + 1;
        enum seal_verdict verdict =
            seal_sessions_take(&next, session, counter, world->time_of(session, counter));
        if (verdict == SEAL_ACCEPTED && (accepted >> i & 1) != 0)
            fail_msg("accepted twice: counter %u of session %u", (unsigned)counter,
                     (unsigned)session);
        if (verdict != take_plainly(&next_plain, world, session, counter))
            fail_msg("not as the rules say: counter %u of session %u", (unsigned)counter,
                     (unsigned)session);
        if (depth > 1)
            explore(world, &next, &next_plain,
                    verdict == SEAL_ACCEPTED ? accepted | UINT32_C(1) << i : accepted, depth - 1);
    }
}

static void explore_all(const struct world *world)
{
    struct seal_sessions sessions;
    const struct plain plain = {.floor = 0};
    seal_sessions_init_small(&sessions, 0, world->width, world->slots);
    explore(world, &sessions, &plain, 0, world->depth);
}

static int64_t rising(uint64_t session, uint64_t counter)
{
    return (int64_t)(counter * SESSIONS_MAX + session);
}

static int64_t falling(uint64_t session, uint64_t counter)
{
    return (int64_t)((COUNTERS_MAX + 1 - counter) * SESSIONS_MAX + session);
}

static int64_t apart(uint64_t session, uint64_t counter)
{
    return (int64_t)((SESSIONS_MAX - session) * (COUNTERS_MAX + 1) + counter);
}

TEST(one_window_has_each_counter_once_in_any_order)
{
    for (uint32_t width = 1; width <= 4; width *= 2)
        explore_all(&(struct world){width, 1, 1, COUNTERS_MAX, rising, 7});
}

TEST(sessions_that_displace_each_other_repeat_nothing)
{
    explore_all(&(struct world){2, 1, 2, 4, rising, 6});
    explore_all(&(struct world){2, 1, 3, 3, falling, 6});
    explore_all(&(struct world){2, 2, 3, 3, rising, 6});
    explore_all(&(struct world){2, 2, 3, 3, falling, 6});
    explore_all(&(struct world){2, 2, 3, 3, apart, 6});
    explore_all(&(struct world){4, 2, 4, 2, apart, 6});
}
