#include "collector/senders/sequence_window.h"

#include "collector/base/rule.h"

_Static_assert(SEQUENCE_SPREAD_MOST <= SEQUENCE_MAX_JUMP,
               "a number that leaves a window is not a restart");
_Static_assert(SEQUENCE_RUN_MOST <= 64, "a run has bits in two words at most");

static uint32_t count_ones(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* Clears `count` bits (at most the window's size) from `number` on. Returns how many were set. */
static uint32_t clear_seen(struct sequence_window window, uint64_t number, uint32_t count)
{
    uint32_t seen = 0;
    uint32_t at = (uint32_t)(number % window.size);
    while (count != 0) {
        uint32_t bit = at % 64;
        uint32_t room = 64 - bit;
        uint32_t length = count < room ? count : room;
        uint64_t mask = UINT64_MAX << bit;
        if (length < room)
            mask &= ~(UINT64_MAX << (bit + length));
        uint64_t *word = &window.seen[at / 64];
        seen += count_ones(*word & mask);
        *word &= ~mask;
        at = (at + length) % window.size;
        count -= length;
    }
    return seen;
}

/* Sets `count` bits (1 to SEQUENCE_RUN_MOST) from `number` on, in one or two words. */
static void set_seen(struct sequence_window window, uint64_t number, uint32_t count)
{
    uint32_t at = (uint32_t)(number % window.size);
    uint32_t bit = at % 64;
    uint64_t mask = UINT64_MAX >> (64 - count);
    window.seen[at / 64] |= mask << bit;
    if (bit + count > 64)
        window.seen[(at / 64 + 1) % (window.size / 64)] |= mask >> (64 - bit);
}

/* Returns true if the number was seen. `number` must be inside the window. */
static bool is_seen(struct sequence_window window, uint64_t number)
{
    return (window.seen[number % window.size / 64] >> number % 64 & 1) != 0;
}

/*
 * Marks the number as seen. Returns true if it was already seen. `number` must be inside the
 * window.
 */
static bool test_and_set_seen(struct sequence_window window, uint64_t number)
{
    bool before = is_seen(window, number);
    window.seen[number % window.size / 64] |= UINT64_C(1) << number % 64;
    return before;
}

uint64_t sequence_window_unseen(struct sequence_window window)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < window.size / 64; i++)
        seen += count_ones(window.seen[i]);
    RULE(seen <= window.sender->expected, "only expected numbers are marked as seen");
    return window.sender->expected - seen;
}

/*
 * Extends a number of 32 bits to 64 bits. After a start or a restart, adds 2^32, so that numbers
 * before the first one can be represented too.
 */
static uint64_t unwrapped(uint64_t number)
{
    return (UINT64_C(1) << 32) + (uint32_t)number;
}

/* Returns the number with these low 32 bits that is nearest to the window's highest number. */
static uint64_t nearest_round(struct sequence_window window, uint64_t number)
{
    uint64_t highest = window.sender->highest;
    uint32_t ahead = (uint32_t)number - (uint32_t)highest;
    return ahead <= INT32_MAX ? highest + ahead : highest - (UINT64_C(1) << 32) + ahead;
}

/* `count` is at most the window's size. */
static void set_expected(struct sequence_window window, uint64_t count)
{
    window.sender->expected = count & (2 * SEQUENCE_SPREAD_MOST - 1);
}

/*
 * Begins the window at `number`; earlier numbers are not expected. Clears only the bits of expected
 * numbers, because no other bits are set.
 */
static void begin_life(struct sequence_window window, uint64_t boot_id, uint64_t number)
{
    uint32_t expected = (uint32_t)window.sender->expected;
    RULE(expected <= window.size, "a window expects no more numbers than it has bits");
    clear_seen(window, window.sender->highest - expected + 1, expected);
    window.sender->boot_id = boot_id;
    window.sender->highest = number;
    window.sender->expected = 1;
    test_and_set_seen(window, number);
}

/*
 * Moves the end of the window up by `distance`. Returns how many expected numbers left the window
 * unseen. A number that enters the window gets the bit of the number that leaves it. If the
 * distance exceeds the window's size, the numbers in between are never in the window and count as
 * unseen.
 */
static uint64_t slide(struct sequence_window window, uint64_t distance)
{
    uint32_t leaving = distance < window.size ? (uint32_t)distance : window.size;
    uint32_t seen = clear_seen(window, window.sender->highest + 1, leaving);
    uint64_t expected = window.sender->expected + distance;
    window.sender->highest += distance;
    if (expected <= window.size) {
        set_expected(window, expected); /* no expected number left the window */
        return 0;
    }
    set_expected(window, window.size);
    return expected - window.size - seen;
}

static void note_ahead(struct sequence_window window, uint64_t number,
                       struct sequence_outcome *outcome)
{
    uint64_t distance = number - window.sender->highest;
    if (distance > SEQUENCE_MAX_JUMP) {
        outcome->restarted = 1;
        outcome->lost = sequence_window_unseen(window);
        begin_life(window, window.sender->boot_id, number);
        return;
    }
    outcome->lost = slide(window, distance);
    test_and_set_seen(window, number);
}

/*
 * Returns true if the number may come from a sender without boot id that has restarted. Such a
 * number is below the window, or is in the long window of a sender with several paths and was
 * already seen. An unseen number may have waited on another path. A seen number of a spread sender
 * may be a duplicate that arrived on any path.
 */
static bool may_have_restarted(struct sequence_window window, const struct sequence_step *step,
                               uint64_t number)
{
    uint64_t age = window.sender->highest - number;
    if (window.sender->boot_id != 0 || age < SEQUENCE_WINDOW)
        return false;
    return age >= window.size || (!step->spread && is_seen(window, number));
}

/* Begins the window again at the suspect's number, and adds the number that has followed it. */
static void restart_at(struct sequence_window window, uint64_t first, uint64_t number,
                       struct sequence_outcome *outcome)
{
    outcome->restarted = 1;
    outcome->lost = sequence_window_unseen(window);
    begin_life(window, 0, first);
    slide(window, number - first);
    test_and_set_seen(window, number);
}

static void note_after(struct sequence_window window, const struct sequence_step *step,
                       uint64_t number, struct sequence_suspect *suspect,
                       struct sequence_outcome *outcome)
{
    uint64_t age = window.sender->highest - number;
    if (may_have_restarted(window, step, number)) {
        if (suspect->is_open && number > suspect->number &&
            number - suspect->number < SEQUENCE_WINDOW) {
            restart_at(window, suspect->number, number, outcome);
            *suspect = (struct sequence_suspect){.is_open = false};
            return;
        }
        *suspect = (struct sequence_suspect){.is_open = true, .number = number};
    } else {
        suspect->is_open = false;
    }
    if (age >= window.size) {
        outcome->late = 1;
        return;
    }
    if (age >= window.sender->expected)
        set_expected(window, age + 1); /* precedes the first number seen */
    if (test_and_set_seen(window, number))
        outcome->duplicated = 1;
    else
        outcome->reordered = 1;
}

static void note_number(struct sequence_window window, const struct sequence_step *step,
                        uint64_t number, struct sequence_suspect *suspect,
                        struct sequence_outcome *outcome)
{
    if (window.sender->boot_id == step->boot_id && number <= window.sender->highest) {
        note_after(window, step, number, suspect, outcome);
        return;
    }
    suspect->is_open = false;
    if (window.sender->boot_id != step->boot_id) {
        outcome->restarted = 1;
        outcome->lost = sequence_window_unseen(window);
        begin_life(window, step->boot_id, number);
    } else {
        note_ahead(window, number, outcome);
    }
}

static void sum_outcome(struct sequence_outcome *sum, const struct sequence_outcome *more)
{
    sum->lost += more->lost;
    sum->duplicated += more->duplicated;
    sum->reordered += more->reordered;
    sum->late += more->late;
    sum->restarted += more->restarted;
}

/* Returns true if `number` directly follows the highest number, with the same boot id. */
static bool goes_on(struct sequence_window window, uint64_t boot_id, uint64_t number)
{
    return number != 0 && window.sender->boot_id == boot_id && window.sender->highest == number - 1;
}

/*
 * Enters `count` numbers (at most SEQUENCE_RUN_MOST) from `number` on, with the same outcome as if
 * they were entered one by one.
 */
static void note_run(struct sequence_window window, const struct sequence_step *step,
                     uint64_t number, uint32_t count, struct sequence_suspect *suspect,
                     struct sequence_outcome *outcome)
{
    for (; count != 0; number++, count--) {
        if (goes_on(window, step->boot_id, number)) {
            suspect->is_open = false;
            outcome->lost += slide(window, count);
            set_seen(window, number, count);
            return;
        }
        struct sequence_outcome one = {0};
        note_number(window, step, number, suspect, &one);
        sum_outcome(outcome, &one);
    }
}

/* After a restart a 32-bit number is again in the second round (unwrapped). */
void sequence_window_note(struct sequence_window window, const struct sequence_step *step,
                          struct sequence_suspect *suspect, struct sequence_outcome *outcome)
{
    uint64_t number = step->wraps ? nearest_round(window, step->number) : step->number;
    note_run(window, step, number, step->count, suspect, outcome);
    if (step->wraps && outcome->restarted != 0)
        window.sender->highest = unwrapped(window.sender->highest);
}

void sequence_window_begin(struct sequence_window window, const struct sequence_step *step,
                           struct sequence_outcome *outcome)
{
    RULE(step->count != 0 && step->count <= SEQUENCE_RUN_MOST, "a step has numbers");
    uint64_t number = step->wraps ? unwrapped(step->number) : step->number;
    begin_life(window, step->boot_id, number);
    struct sequence_suspect none = {.is_open = false};
    note_run(window, step, number + 1, step->count - 1, &none, outcome);
}
