#include "collector/senders/sequence.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/compiler.h"
#include "collector/base/siphash.h"
#include "collector/platform/mutex.h"
#include "collector/senders/sharded_sets.h"

#define CACHE_LINE 64

/*
 * Who is seated at a place of a set. A window ends at the highest number seen; number n has bit
 * n % the window's size.
 */
struct sender {
    uint64_t fingerprint; /* its other half */
    uint64_t boot_id;
    uint64_t highest;
    uint64_t numbering : 27;
    uint64_t listener : 16;
    uint64_t expected : 21; /* numbers in the window that we wait for or have: 1 to its size */
};

/*
 * Most datagrams find their set outside of the cache, so that it is laid out for few of its lines
 * to be touched: the two that every search reads come first, a sender is within one, and of its
 * window one is.
 */
struct set {
    _Atomic uint64_t fingerprint[WAYS]; /* atomic for sequence_go_on, which has no lock */
    uint64_t last_used[WAYS];           /* the shard's tick; 0: this place is empty */
    struct sender sender[WAYS];
    uint64_t seen[]; /* a window for each place */
};
_Static_assert(SEQUENCE_LISTENERS <= 1 << 16 && SEQUENCE_NUMBERINGS <= 1 << 27 &&
                   SEQUENCE_SPREAD_MOST < 1 << 21 && SEQUENCE_WINDOW <= SEQUENCE_SPREAD_MOST,
               "a sender has room for each");
_Static_assert(SEQUENCE_SPREAD_MOST <= SEQUENCE_MAX_JUMP, "what leaves a window is no restart");
_Static_assert(SEQUENCE_RUN_MOST <= 64, "a run has bits in two words at most");
_Static_assert(CACHE_LINE % sizeof(struct sender) == 0 && sizeof(struct set) % CACHE_LINE == 0,
               "no sender is on two cache lines");

/* A place of a set. */
struct seat {
    struct sender *sender;
    uint64_t *seen;
    uint32_t window; /* its size, a power of two, at least 64 */
};

/* Senders whose windows have one size. */
struct seats {
    struct sharded_sets frame;
    uint32_t window;                 /* 0: there are none */
    uint8_t *sets;                   /* as many as the frame has, set_size(window) bytes apart */
    void *memory;                    /* that they are in */
    struct sequence_sender *senders; /* of the places of all sets; NULL: not kept */
};

struct sequence_table {
    struct seats ordered;
    struct seats spread;
    uint8_t secret[16];
};

/* --- memory ----------------------------------------------------------------------------------- */

static size_t set_size(uint32_t window)
{
    return sizeof(struct set) + (size_t)WAYS * window / 8;
}

static size_t seats_memory(size_t senders, uint32_t window)
{
    return sharded_sets_for(senders) * set_size(window) + CACHE_LINE;
}

static uint8_t *first_line_of(void *memory)
{
    return (uint8_t *)(((uintptr_t)memory + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
}

static struct set *set_at(const struct seats *seats, size_t index)
{
    return (void *)(seats->sets + index * set_size(seats->window));
}

static struct seat seat_at(const struct seats *seats, struct place place)
{
    struct set *set = set_at(seats, place.set);
    return (struct seat){.sender = &set->sender[place.way],
                         .seen = set->seen + place.way * (seats->window / 64),
                         .window = seats->window};
}

/* Returns false where memory is short; seats_destroy is to be called in either case. */
static bool seats_create(struct seats *seats, size_t senders, uint32_t window,
                         const uint8_t secret[16])
{
    seats->window = window;
    /* Zeroed by calloc, not by us: pages that no sender has come to take no memory. */
    seats->memory = calloc(1, seats_memory(senders, window));
    seats->sets = first_line_of(seats->memory);
    return sharded_sets_create(&seats->frame, sharded_sets_for(senders), secret) &&
           seats->memory != NULL;
}

static void seats_destroy(struct seats *seats)
{
    sharded_sets_destroy(&seats->frame);
    free(seats->memory);
    free(seats->senders);
}

size_t sequence_table_memory(size_t senders)
{
    return sizeof(struct sequence_table) + seats_memory(senders, SEQUENCE_WINDOW);
}

size_t sequence_spread_memory(uint32_t window)
{
    return seats_memory(SEQUENCE_SPREAD_SENDERS, window);
}

uint32_t sequence_spread_window(uint64_t apart)
{
    uint32_t window = SEQUENCE_SPREAD_LEAST;
    while (window < apart && window < SEQUENCE_SPREAD_MOST)
        window *= 2;
    return window;
}

struct sequence_table *sequence_table_create(size_t senders, const uint8_t secret[16])
{
    struct sequence_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    memcpy(table->secret, secret, sizeof table->secret);
    if (!seats_create(&table->ordered, senders, SEQUENCE_WINDOW, secret)) {
        sequence_table_destroy(table);
        return NULL;
    }
    return table;
}

bool sequence_add_spread(struct sequence_table *table, uint32_t window)
{
    return seats_create(&table->spread, SEQUENCE_SPREAD_SENDERS, window, table->secret);
}

void sequence_table_destroy(struct sequence_table *table)
{
    if (table == NULL)
        return;
    seats_destroy(&table->ordered);
    seats_destroy(&table->spread);
    free(table);
}

static size_t kept_memory(size_t sets)
{
    return sets * WAYS * sizeof(struct sequence_sender);
}

size_t sequence_senders_memory(size_t senders)
{
    return kept_memory(sharded_sets_for(senders));
}

static bool keep_senders(struct seats *seats)
{
    seats->senders = calloc(1, kept_memory(seats->frame.count));
    return seats->senders != NULL;
}

bool sequence_keep_senders(struct sequence_table *table)
{
    return keep_senders(&table->ordered) &&
           (table->spread.window == 0 || keep_senders(&table->spread));
}

/* --- one sender's window ---------------------------------------------------------------------- */

static uint32_t count_ones(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* Clears `count` bits, at most a window's, from `number`'s on; returns how many were set. */
static uint32_t clear_seen(struct seat seat, uint64_t number, uint32_t count)
{
    uint32_t seen = 0;
    uint32_t at = (uint32_t)(number % seat.window);
    while (count != 0) {
        uint32_t bit = at % 64;
        uint32_t room = 64 - bit;
        uint32_t length = count < room ? count : room;
        uint64_t mask = UINT64_MAX << bit;
        if (length < room)
            mask &= ~(UINT64_MAX << (bit + length));
        uint64_t *word = &seat.seen[at / 64];
        seen += count_ones(*word & mask);
        *word &= ~mask;
        at = (at + length) % seat.window;
        count -= length;
    }
    return seen;
}

/* Sets `count` (1 to SEQUENCE_RUN_MOST) bits from `number`'s on: of one word or of two. */
static void set_seen(struct seat seat, uint64_t number, uint32_t count)
{
    uint32_t at = (uint32_t)(number % seat.window);
    uint32_t bit = at % 64;
    uint64_t mask = UINT64_MAX >> (64 - count);
    seat.seen[at / 64] |= mask << bit;
    if (bit + count > 64)
        seat.seen[(at / 64 + 1) % (seat.window / 64)] |= mask >> (64 - bit);
}

/* Notes that `number`, inside the window, was seen; returns whether it had been before. */
static bool test_and_set_seen(struct seat seat, uint64_t number)
{
    uint64_t *word = &seat.seen[number % seat.window / 64];
    uint64_t mask = UINT64_C(1) << number % 64;
    bool before = (*word & mask) != 0;
    *word |= mask;
    return before;
}

static uint64_t unseen(struct seat seat)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < seat.window / 64; i++)
        seen += count_ones(seat.seen[i]);
    return seat.sender->expected - seen;
}

/*
 * Numbers of 32 bits are counted on beyond them. A life begins in the second round, so that numbers
 * from before its first one are above 0.
 */
static uint64_t unwrapped(uint64_t number)
{
    return (UINT64_C(1) << 32) + (uint32_t)number;
}

/* The number with these low 32 bits that is nearest to the highest one. */
static uint64_t nearest_round(struct seat seat, uint64_t number)
{
    uint64_t highest = seat.sender->highest;
    uint32_t ahead = (uint32_t)number - (uint32_t)highest;
    return ahead <= INT32_MAX ? highest + ahead : highest - (UINT64_C(1) << 32) + ahead;
}

/* At most the window's size. */
static void expect(struct seat seat, uint64_t count)
{
    seat.sender->expected = count & (2 * SEQUENCE_SPREAD_MOST - 1);
}

/*
 * A life begins with `number`: all before it is none of our business. What is set is among the
 * numbers that were expected: of a long window mostly a small part.
 */
static void begin_life(struct seat seat, uint64_t boot_id, uint64_t number)
{
    uint32_t expected = (uint32_t)seat.sender->expected;
    clear_seen(seat, seat.sender->highest - expected + 1, expected);
    seat.sender->boot_id = boot_id;
    seat.sender->highest = number;
    seat.sender->expected = 1;
    test_and_set_seen(seat, number);
}

/*
 * Slides the window so that it ends `distance` further on; returns how many numbers left it
 * unseen. The numbers that enter take the bits of those that leave. Where the distance is longer
 * than the window, the numbers passed over enter and leave in one.
 */
static uint64_t slide(struct seat seat, uint64_t distance)
{
    uint32_t leaving = distance < seat.window ? (uint32_t)distance : seat.window;
    uint32_t seen = clear_seen(seat, seat.sender->highest + 1, leaving);
    uint64_t expected = seat.sender->expected + distance;
    seat.sender->highest += distance;
    if (expected <= seat.window) {
        expect(seat, expected); /* only places before the first number left */
        return 0;
    }
    expect(seat, seat.window);
    return expected - seat.window - seen;
}

static void note_ahead(struct seat seat, uint64_t number, struct sequence_outcome *outcome)
{
    uint64_t distance = number - seat.sender->highest;
    if (distance > SEQUENCE_MAX_JUMP) {
        outcome->restarted = 1;
        outcome->lost = unseen(seat);
        begin_life(seat, seat.sender->boot_id, number);
        return;
    }
    outcome->lost = slide(seat, distance);
    test_and_set_seen(seat, number);
}

static void note_after(struct seat seat, uint64_t number, struct sequence_outcome *outcome)
{
    uint64_t age = seat.sender->highest - number;
    if (age >= seat.window && seat.sender->boot_id == 0) {
        outcome->restarted = 1;
        outcome->lost = unseen(seat);
        begin_life(seat, 0, number);
        return;
    }
    if (age >= seat.window) {
        outcome->late = 1;
        return;
    }
    if (age >= seat.sender->expected)
        expect(seat, age + 1); /* sent before the first one seen */
    if (test_and_set_seen(seat, number))
        outcome->duplicated = 1;
    else
        outcome->reordered = 1;
}

static void note_number(struct seat seat, uint64_t boot_id, uint64_t number,
                        struct sequence_outcome *outcome)
{
    if (seat.sender->boot_id != boot_id) {
        outcome->restarted = 1;
        outcome->lost = unseen(seat);
        begin_life(seat, boot_id, number);
    } else if (number > seat.sender->highest) {
        note_ahead(seat, number, outcome);
    } else {
        note_after(seat, number, outcome);
    }
}

static void add_outcome(struct sequence_outcome *sum, const struct sequence_outcome *more)
{
    sum->lost += more->lost;
    sum->duplicated += more->duplicated;
    sum->reordered += more->reordered;
    sum->late += more->late;
    sum->restarted += more->restarted;
}

/* Whether the window ends just before `number`. */
static bool goes_on(struct seat seat, uint64_t boot_id, uint64_t number)
{
    return number != 0 && seat.sender->boot_id == boot_id && seat.sender->highest == number - 1;
}

/* `count` (at most SEQUENCE_RUN_MOST) numbers from `number` on: as each by itself. */
static void note_run(struct seat seat, uint64_t boot_id, uint64_t number, uint32_t count,
                     struct sequence_outcome *outcome)
{
    for (; count != 0; number++, count--) {
        if (goes_on(seat, boot_id, number)) {
            outcome->lost += slide(seat, count);
            set_seen(seat, number, count);
            return;
        }
        struct sequence_outcome one = {0};
        note_number(seat, boot_id, number, &one);
        add_outcome(outcome, &one);
    }
}

/* After a restart the rounds are counted anew. */
static void note_step(struct seat seat, const struct sequence_step *step,
                      struct sequence_outcome *outcome)
{
    uint64_t number = step->wraps ? nearest_round(seat, step->number) : step->number;
    note_run(seat, step->boot_id, number, step->count, outcome);
    if (step->wraps && outcome->restarted != 0)
        seat.sender->highest = unwrapped(seat.sender->highest);
}

/* --- finding the sender ----------------------------------------------------------------------- */

static bool is_recent(const struct sequence_recent *recent, const struct sequence_key *key)
{
    return recent->known && recent->name_size == key->sender_size &&
           recent->listener == key->listener && recent->numbering == key->numbering &&
           address_same_host(&recent->source, key->source) &&
           (key->sender_size == 0 || memcmp(recent->name, key->sender, key->sender_size) == 0);
}

static void keep_recent(struct sequence_recent *recent, const struct sequence_key *key,
                        const uint64_t fingerprint[2])
{
    recent->known = key->sender_size <= sizeof recent->name;
    if (!recent->known)
        return;
    recent->listener = key->listener;
    recent->numbering = key->numbering;
    recent->source = *key->source;
    recent->name_size = key->sender_size;
    if (key->sender_size != 0)
        memcpy(recent->name, key->sender, key->sender_size);
    memcpy(recent->fingerprint, fingerprint, sizeof recent->fingerprint);
}

/* The sender's name comes last and all before it has a fixed size, so no two keys read the same. */
static void hash_key(const struct sequence_table *table, const struct sequence_key *key,
                     uint64_t fingerprint[2])
{
    const struct address *source = key->source;
    uint8_t head[32] = {0}; /* whole words are hashed fastest */
    memcpy(head, source->bytes, sizeof source->bytes);
    memcpy(head + 16, &source->scope, sizeof source->scope);
    memcpy(head + 20, &key->listener, sizeof key->listener);
    memcpy(head + 24, &key->numbering, sizeof key->numbering);
    head[28] = source->family;
    struct siphash hash;
    siphash_begin(&hash, table->secret);
    siphash_feed(&hash, head, sizeof head);
    siphash_feed(&hash, key->sender, key->sender_size);
    siphash_end(&hash, fingerprint);
}

static void fingerprint_of(const struct sequence_table *table, const struct sequence_key *key,
                           uint64_t fingerprint[2])
{
    if (key->recent != NULL && is_recent(key->recent, key)) {
        memcpy(fingerprint, key->recent->fingerprint, sizeof key->recent->fingerprint);
        return;
    }
    hash_key(table, key, fingerprint);
    if (key->recent != NULL)
        keep_recent(key->recent, key, fingerprint);
}

/* In a set: WAYS: nowhere. */
static size_t find_way(const struct set *set, const uint64_t fingerprint[2])
{
    size_t way = 0;
    while (way < WAYS &&
           (set->last_used[way] == 0 ||
            atomic_load_explicit(&set->fingerprint[way], memory_order_relaxed) != fingerprint[0] ||
            set->sender[way].fingerprint != fingerprint[1]))
        way++;
    return way;
}

/* Returns false where it sits nowhere. */
static bool find_place(const struct seats *seats, const struct sequence_step *step,
                       struct place *place)
{
    *place = (struct place){step->set, find_way(set_at(seats, step->set), step->fingerprint)};
    if (place->way != WAYS)
        return true;
    place->set = second_set(&seats->frame, step->set, step->fingerprint);
    place->way = find_way(set_at(seats, place->set), step->fingerprint);
    return place->way != WAYS;
}

/* An empty place comes first, then that of whoever has been quiet longest. */
static int64_t quiet_longest(const void *table, struct place place)
{
    uint64_t last_used = set_at(table, place.set)->last_used[place.way];
    return last_used == 0 ? INT64_MIN : (int64_t)last_used;
}

/* Where a newcomer goes. */
static struct place choose_place(const struct seats *seats, const struct sequence_step *step)
{
    const size_t sets[] = {step->set, second_set(&seats->frame, step->set, step->fingerprint)};
    return place_of_least(sets, quiet_longest, seats);
}

/* Gives the place to a newcomer. */
static void admit(const struct seats *seats, struct place place, const struct sequence_step *step,
                  struct sequence_outcome *outcome)
{
    struct set *set = set_at(seats, place.set);
    struct seat seat = seat_at(seats, place);
    if (set->last_used[place.way] != 0) {
        outcome->evicted = 1;
        outcome->evicted_listener = (uint32_t)seat.sender->listener;
        outcome->evicted_lost = unseen(seat);
    }
    outcome->new_senders = 1;
    atomic_store_explicit(&set->fingerprint[place.way], step->fingerprint[0], memory_order_relaxed);
    seat.sender->fingerprint = step->fingerprint[1];
    seat.sender->numbering = step->numbering & (SEQUENCE_NUMBERINGS - 1);
    seat.sender->listener = step->sender.listener & (SEQUENCE_LISTENERS - 1);
    uint64_t number = step->wraps ? unwrapped(step->number) : step->number;
    begin_life(seat, step->boot_id, number);
    note_run(seat, step->boot_id, number + 1, step->count - 1, outcome);
}

static void describe_sender(struct sequence_sender *sender, const struct sequence_key *key)
{
    size_t size = key->sender_size < sizeof sender->name ? key->sender_size : sizeof sender->name;
    *sender = (struct sequence_sender){
        .listener = key->listener, .source = *key->source, .name_size = size};
    sender->source.port = 0;
    if (size != 0)
        memcpy(sender->name, key->sender, size);
}

/* --- noting, in steps ------------------------------------------------------------------------- */

/* What every search in it reads. */
static void prefetch_set(const struct set *set)
{
    PREFETCH(set->fingerprint);
    PREFETCH(set->last_used);
}

static const struct seats *seats_of(const struct sequence_table *table,
                                    const struct sequence_step *step)
{
    return step->spread ? &table->spread : &table->ordered;
}

void sequence_begin(const struct sequence_table *table, struct sequence_step *step,
                    const struct sequence_key *key, uint64_t boot_id, uint64_t number)
{
    step->spread = key->spread;
    const struct seats *seats = seats_of(table, step);
    fingerprint_of(table, key, step->fingerprint);
    step->set = first_set(&seats->frame, step->fingerprint);
    step->numbering = key->numbering;
    step->wraps = key->wraps;
    step->boot_id = boot_id;
    step->number = number;
    step->count = 1;
    step->sender.listener = key->listener;
    if (seats->senders != NULL)
        describe_sender(&step->sender, key);
    prefetch_set(set_at(seats, step->set));
}

/* What is cheap to compare comes first: where there are many senders, hardly any number goes on. */
bool sequence_extend(const struct sequence_table *table, struct sequence_step *step,
                     const struct sequence_key *key, uint64_t boot_id, uint64_t number)
{
    uint64_t fingerprint[2];
    if (number != step->number + step->count || number == 0 || boot_id != step->boot_id ||
        step->count == SEQUENCE_RUN_MOST)
        return false;
    fingerprint_of(table, key, fingerprint);
    if (memcmp(fingerprint, step->fingerprint, sizeof fingerprint) != 0)
        return false;
    step->count++;
    return true;
}

/* It may go elsewhere meanwhile, or not be there yet: then this was in vain. */
void sequence_go_on(const struct sequence_table *table, const struct sequence_step *step)
{
    const struct seats *seats = seats_of(table, step);
    const struct set *set = set_at(seats, step->set);
    bool found = false;
    for (size_t i = 0; i < WAYS; i++) {
        if (atomic_load_explicit(&set->fingerprint[i], memory_order_relaxed) !=
            step->fingerprint[0])
            continue;
        found = true;
        PREFETCH(&set->sender[i]);
        PREFETCH(seat_at(seats, (struct place){step->set, i}).seen +
                 step->number % seats->window / 64);
    }
    if (!found)
        prefetch_set(set_at(seats, second_set(&seats->frame, step->set, step->fingerprint)));
}

struct sequence_outcome sequence_end(struct sequence_table *table, const struct sequence_step *step)
{
    struct seats *seats = step->spread ? &table->spread : &table->ordered;
    struct sequence_outcome outcome = {0};
    struct shard *shard = shard_of(&seats->frame, step->set);
    struct place place;

    mutex_lock(shard->mutex);
    bool found = find_place(seats, step, &place);
    if (!found)
        place = choose_place(seats, step);
    if (found)
        note_step(seat_at(seats, place), step, &outcome);
    else
        admit(seats, place, step, &outcome);
    if (step->spread) /* by the sockets here, as it seems */
        outcome.reordered = 0;
    if (seats->senders != NULL && !sequence_is_next(&outcome)) {
        struct sequence_sender *sender = &seats->senders[place.set * WAYS + place.way];
        if (!found)
            *sender = step->sender;
        sender->lost += outcome.lost;
        sender->duplicated += outcome.duplicated;
    }
    set_at(seats, place.set)->last_used[place.way] = ++shard->tick;
    mutex_unlock(shard->mutex);
    return outcome;
}

/* --- all of them ------------------------------------------------------------------------------ */

static void visit_senders(struct seats *seats,
                          void (*visit)(void *context, const struct sequence_sender *sender),
                          void *context)
{
    for (size_t i = 0; seats->senders != NULL && i < seats->frame.count; i++) {
        struct mutex *mutex = shard_of(&seats->frame, i)->mutex;
        mutex_lock(mutex);
        for (size_t way = 0; way < WAYS; way++) {
            struct sequence_sender *sender = &seats->senders[i * WAYS + way];
            if (set_at(seats, i)->last_used[way] == 0)
                continue;
            sender->missing = unseen(seat_at(seats, (struct place){i, way}));
            visit(context, sender);
        }
        mutex_unlock(mutex);
    }
}

void sequence_each_sender(struct sequence_table *table,
                          void (*visit)(void *context, const struct sequence_sender *sender),
                          void *context)
{
    visit_senders(&table->ordered, visit, context);
    visit_senders(&table->spread, visit, context);
}

static void close_windows(struct seats *seats, const struct sequence_closing *closing)
{
    for (size_t i = 0; i < seats->frame.count; i++) {
        struct set *set = set_at(seats, i);
        struct shard *shard = shard_of(&seats->frame, i);
        mutex_lock(shard->mutex);
        /* Where no sender has come to, what is only looked at would take memory as well. */
        for (size_t way = 0; shard->tick != 0 && way < WAYS; way++) {
            uint32_t listener = (uint32_t)set->sender[way].listener;
            uint32_t numbering = (uint32_t)set->sender[way].numbering;
            if (set->last_used[way] == 0 || !closing->ends(closing->context, listener, numbering))
                continue;
            closing->closed(closing->context, listener,
                            unseen(seat_at(seats, (struct place){i, way})));
            set->last_used[way] = 0;
        }
        mutex_unlock(shard->mutex);
    }
}

void sequence_close(struct sequence_table *table, const struct sequence_closing *closing)
{
    close_windows(&table->ordered, closing);
    close_windows(&table->spread, closing);
}

static bool ends_with_all(void *context, uint32_t listener, uint32_t numbering)
{
    (void)context;
    (void)listener;
    (void)numbering;
    return true;
}

void sequence_finish(struct sequence_table *table,
                     void (*closed)(void *context, uint32_t listener, uint64_t lost), void *context)
{
    const struct sequence_closing closing = {ends_with_all, closed, context};
    sequence_close(table, &closing);
}
