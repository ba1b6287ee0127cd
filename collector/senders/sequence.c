#include "collector/senders/sequence.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/compiler.h"
#include "collector/base/siphash.h"
#include "collector/platform/mutex.h"
#include "collector/senders/sharded_sets.h"

#define WORDS      (SEQUENCE_WINDOW / 64)
#define CACHE_LINE 64

/*
 * Who is seated at a place of a set. A window ends at the highest number seen; number n has bit
 * n % SEQUENCE_WINDOW.
 */
struct sender {
    uint64_t fingerprint; /* its other half */
    uint64_t boot_id;
    uint64_t highest;
    uint32_t numbering;
    uint16_t listener;
    uint16_t expected; /* numbers in the window that we wait for or have: 1 to SEQUENCE_WINDOW */
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
    uint64_t seen[WAYS][WORDS];
};
_Static_assert(SEQUENCE_LISTENERS - 1 <= UINT16_MAX && SEQUENCE_WINDOW <= UINT16_MAX,
               "a sender has room for both");
_Static_assert(SEQUENCE_RUN_MOST <= 64, "a run has bits in two words at most");
_Static_assert(CACHE_LINE % sizeof(struct sender) == 0 && sizeof(struct set) % CACHE_LINE == 0,
               "no sender is on two cache lines");

/* A place of a set. */
struct seat {
    struct sender *sender;
    uint64_t *seen;
};

struct sequence_table {
    struct sharded_sets frame;
    struct set *sets;
    void *memory;                    /* that they are in */
    struct sequence_sender *senders; /* of the places of all sets; NULL: not kept */
};

size_t sequence_table_memory(size_t senders)
{
    return sizeof(struct sequence_table) + sharded_sets_for(senders) * sizeof(struct set) +
           CACHE_LINE;
}

static void *first_line_of(void *memory)
{
    return (void *)(((uintptr_t)memory + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
}

struct sequence_table *sequence_table_create(size_t senders, const uint8_t secret[16])
{
    struct sequence_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    size_t sets = sharded_sets_for(senders);
    /* Zeroed by calloc, not by us: pages that no sender has come to take no memory. */
    table->memory = calloc(1, sets * sizeof *table->sets + CACHE_LINE);
    table->sets = first_line_of(table->memory);
    if (!sharded_sets_create(&table->frame, sets, secret) || table->memory == NULL) {
        sequence_table_destroy(table);
        return NULL;
    }
    return table;
}

void sequence_table_destroy(struct sequence_table *table)
{
    if (table == NULL)
        return;
    sharded_sets_destroy(&table->frame);
    free(table->memory);
    free(table->senders);
    free(table);
}

size_t sequence_senders_memory(size_t senders)
{
    return sharded_sets_for(senders) * WAYS * sizeof(struct sequence_sender);
}

bool sequence_keep_senders(struct sequence_table *table)
{
    table->senders = calloc(table->frame.count * WAYS, sizeof *table->senders);
    return table->senders != NULL;
}

/* --- one sender's window ---------------------------------------------------------------------- */

static uint32_t count_ones(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* Clears `count` (at most SEQUENCE_WINDOW) bits from `number`'s on; returns how many were set. */
static uint32_t clear_seen(struct seat seat, uint64_t number, uint32_t count)
{
    uint32_t seen = 0;
    uint32_t at = (uint32_t)(number % SEQUENCE_WINDOW);
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
        at = (at + length) % SEQUENCE_WINDOW;
        count -= length;
    }
    return seen;
}

/* Sets `count` (1 to SEQUENCE_RUN_MOST) bits from `number`'s on: of one word or of two. */
static void set_seen(struct seat seat, uint64_t number, uint32_t count)
{
    uint32_t at = (uint32_t)(number % SEQUENCE_WINDOW);
    uint32_t bit = at % 64;
    uint64_t mask = UINT64_MAX >> (64 - count);
    seat.seen[at / 64] |= mask << bit;
    if (bit + count > 64)
        seat.seen[(at / 64 + 1) % WORDS] |= mask >> (64 - bit);
}

/* Notes that `number`, inside the window, was seen; returns whether it had been before. */
static bool test_and_set_seen(struct seat seat, uint64_t number)
{
    uint64_t *word = &seat.seen[number % SEQUENCE_WINDOW / 64];
    uint64_t mask = UINT64_C(1) << number % 64;
    bool before = (*word & mask) != 0;
    *word |= mask;
    return before;
}

static uint64_t unseen(struct seat seat)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < WORDS; i++)
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

/* A life begins with `number`: all before it is none of our business. */
static void begin_life(struct seat seat, uint64_t boot_id, uint64_t number)
{
    memset(seat.seen, 0, WORDS * sizeof *seat.seen);
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
    uint32_t leaving = distance < SEQUENCE_WINDOW ? (uint32_t)distance : SEQUENCE_WINDOW;
    uint32_t seen = clear_seen(seat, seat.sender->highest + 1, leaving);
    uint64_t expected = seat.sender->expected + distance;
    seat.sender->highest += distance;
    if (expected <= SEQUENCE_WINDOW) {
        seat.sender->expected = (uint16_t)expected; /* only places before the first number left */
        return 0;
    }
    seat.sender->expected = SEQUENCE_WINDOW;
    return expected - SEQUENCE_WINDOW - seen;
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
    if (age >= SEQUENCE_WINDOW && seat.sender->boot_id == 0) {
        outcome->restarted = 1;
        outcome->lost = unseen(seat);
        begin_life(seat, 0, number);
        return;
    }
    if (age >= SEQUENCE_WINDOW) {
        outcome->late = 1;
        return;
    }
    if (age >= seat.sender->expected)
        seat.sender->expected = (uint16_t)(age + 1); /* sent before the first one seen */
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
    siphash_begin(&hash, table->frame.secret);
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
static bool find_place(const struct sequence_table *table, const struct sequence_step *step,
                       struct place *place)
{
    *place = (struct place){step->set, find_way(&table->sets[step->set], step->fingerprint)};
    if (place->way != WAYS)
        return true;
    place->set = second_set(&table->frame, step->set, step->fingerprint);
    place->way = find_way(&table->sets[place->set], step->fingerprint);
    return place->way != WAYS;
}

/* An empty place comes first, then that of whoever has been quiet longest. */
static int64_t quiet_longest(const void *table, struct place place)
{
    const struct sequence_table *sequences = table;
    uint64_t last_used = sequences->sets[place.set].last_used[place.way];
    return last_used == 0 ? INT64_MIN : (int64_t)last_used;
}

/* Where a newcomer goes. */
static struct place choose_place(const struct sequence_table *table,
                                 const struct sequence_step *step)
{
    const size_t sets[] = {step->set, second_set(&table->frame, step->set, step->fingerprint)};
    return place_of_least(sets, quiet_longest, table);
}

static struct seat seat_at(struct set *set, size_t way)
{
    return (struct seat){.sender = &set->sender[way], .seen = set->seen[way]};
}

/* Gives the place to a newcomer. */
static void admit(struct set *set, size_t way, const struct sequence_step *step,
                  struct sequence_outcome *outcome)
{
    struct seat seat = seat_at(set, way);
    if (set->last_used[way] != 0) {
        outcome->evicted = 1;
        outcome->evicted_listener = seat.sender->listener;
        outcome->evicted_lost = unseen(seat);
    }
    outcome->new_senders = 1;
    atomic_store_explicit(&set->fingerprint[way], step->fingerprint[0], memory_order_relaxed);
    seat.sender->fingerprint = step->fingerprint[1];
    seat.sender->numbering = step->numbering;
    seat.sender->listener = (uint16_t)step->sender.listener;
    uint64_t number = step->wraps ? unwrapped(step->number) : step->number;
    begin_life(seat, step->boot_id, number);
    note_run(seat, step->boot_id, number + 1, step->count - 1, outcome);
}

static void keep_sender(struct sequence_sender *sender, const struct sequence_key *key)
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

void sequence_begin(const struct sequence_table *table, struct sequence_step *step,
                    const struct sequence_key *key, uint64_t boot_id, uint64_t number)
{
    fingerprint_of(table, key, step->fingerprint);
    step->set = first_set(&table->frame, step->fingerprint);
    step->numbering = key->numbering;
    step->wraps = key->wraps;
    step->boot_id = boot_id;
    step->number = number;
    step->count = 1;
    step->sender.listener = key->listener;
    if (table->senders != NULL)
        keep_sender(&step->sender, key);
    prefetch_set(&table->sets[step->set]);
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
    const struct set *set = &table->sets[step->set];
    bool found = false;
    for (size_t i = 0; i < WAYS; i++) {
        if (atomic_load_explicit(&set->fingerprint[i], memory_order_relaxed) !=
            step->fingerprint[0])
            continue;
        found = true;
        PREFETCH(&set->sender[i]);
        PREFETCH(&set->seen[i][step->number % SEQUENCE_WINDOW / 64]);
    }
    if (!found)
        prefetch_set(&table->sets[second_set(&table->frame, step->set, step->fingerprint)]);
}

struct sequence_outcome sequence_end(struct sequence_table *table, const struct sequence_step *step)
{
    struct sequence_outcome outcome = {0};
    struct shard *shard = shard_of(&table->frame, step->set);
    struct place place;

    mutex_lock(shard->mutex);
    bool found = find_place(table, step, &place);
    if (!found)
        place = choose_place(table, step);
    struct set *set = &table->sets[place.set];
    if (found)
        note_step(seat_at(set, place.way), step, &outcome);
    else
        admit(set, place.way, step, &outcome);
    if (table->senders != NULL && !sequence_is_next(&outcome)) {
        struct sequence_sender *sender = &table->senders[place.set * WAYS + place.way];
        if (!found)
            *sender = step->sender;
        sender->lost += outcome.lost;
        sender->duplicated += outcome.duplicated;
    }
    set->last_used[place.way] = ++shard->tick;
    mutex_unlock(shard->mutex);
    return outcome;
}

/* --- all of them ------------------------------------------------------------------------------ */

void sequence_each_sender(struct sequence_table *table,
                          void (*visit)(void *context, const struct sequence_sender *sender),
                          void *context)
{
    for (size_t i = 0; table->senders != NULL && i < table->frame.count; i++) {
        struct set *set = &table->sets[i];
        struct mutex *mutex = shard_of(&table->frame, i)->mutex;
        mutex_lock(mutex);
        for (size_t place = 0; place < WAYS; place++) {
            struct sequence_sender *sender = &table->senders[i * WAYS + place];
            if (set->last_used[place] == 0)
                continue;
            sender->missing = unseen(seat_at(set, place));
            visit(context, sender);
        }
        mutex_unlock(mutex);
    }
}

void sequence_close(struct sequence_table *table, const struct sequence_closing *closing)
{
    for (size_t i = 0; i < table->frame.count; i++) {
        struct set *set = &table->sets[i];
        struct mutex *mutex = shard_of(&table->frame, i)->mutex;
        mutex_lock(mutex);
        for (size_t place = 0; place < WAYS; place++) {
            const struct sender *sender = &set->sender[place];
            if (set->last_used[place] == 0 ||
                !closing->ends(closing->context, sender->listener, sender->numbering))
                continue;
            closing->closed(closing->context, sender->listener, unseen(seat_at(set, place)));
            set->last_used[place] = 0;
        }
        mutex_unlock(mutex);
    }
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
