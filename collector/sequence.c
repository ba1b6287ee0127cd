#include "collector/sequence.h"

#include <stdlib.h>
#include <string.h>

#include "collector/siphash.h"
#include "collector/thread.h"

#define SHARDS 16
#define WAYS   8
#define WORDS  (SEQUENCE_WINDOW / 64)

/* The window ends at the highest number seen. Number n has bit n % SEQUENCE_WINDOW. */
struct sender {
    uint64_t boot_id;
    uint64_t highest;
    uint32_t listener;
    uint32_t expected; /* numbers in the window that we wait for or have: 1 to SEQUENCE_WINDOW */
    uint64_t seen[WORDS];
};

/* What a search reads stands together, apart from the windows. */
struct set {
    uint64_t fingerprint[WAYS][2];
    uint64_t last_used[WAYS]; /* the shard's tick; 0: this place is empty */
    struct sender sender[WAYS];
};

/* Guards the sets whose index is its own modulo SHARDS. */
struct shard {
    struct mutex *mutex;
    uint64_t tick;
    uint8_t apart[48]; /* keeps the ticks of two shards out of one cache line */
};

struct sequence_table {
    struct shard shards[SHARDS];
    struct set *sets;
    struct sequence_sender *senders; /* of the places of all sets; NULL: not kept */
    size_t set_count;
    uint8_t secret[16];
};

static size_t sets_for(size_t senders)
{
    size_t sets = senders / WAYS + (senders % WAYS != 0);
    return sets < SHARDS ? SHARDS : sets;
}

size_t sequence_table_memory(size_t senders)
{
    return sizeof(struct sequence_table) + sets_for(senders) * sizeof(struct set);
}

struct sequence_table *sequence_table_create(size_t senders, const uint8_t secret[16])
{
    struct sequence_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    table->set_count = sets_for(senders);
    memcpy(table->secret, secret, sizeof table->secret);
    /* Zeroed by calloc, not by us: pages that no sender has come to take no memory. */
    table->sets = calloc(table->set_count, sizeof *table->sets);
    bool complete = table->sets != NULL;
    for (size_t i = 0; i < SHARDS; i++) {
        table->shards[i].mutex = mutex_create();
        complete = complete && table->shards[i].mutex != NULL;
    }
    if (!complete) {
        sequence_table_destroy(table);
        return NULL;
    }
    return table;
}

void sequence_table_destroy(struct sequence_table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < SHARDS; i++)
        mutex_destroy(table->shards[i].mutex);
    free(table->sets);
    free(table->senders);
    free(table);
}

size_t sequence_senders_memory(size_t senders)
{
    return sets_for(senders) * WAYS * sizeof(struct sequence_sender);
}

bool sequence_keep_senders(struct sequence_table *table)
{
    table->senders = calloc(table->set_count * WAYS, sizeof *table->senders);
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
static uint32_t clear_seen(struct sender *sender, uint64_t number, uint32_t count)
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
        uint64_t *word = &sender->seen[at / 64];
        seen += count_ones(*word & mask);
        *word &= ~mask;
        at = (at + length) % SEQUENCE_WINDOW;
        count -= length;
    }
    return seen;
}

/* Notes that `number`, inside the window, was seen; returns whether it had been before. */
static bool test_and_set_seen(struct sender *sender, uint64_t number)
{
    uint64_t *word = &sender->seen[number % SEQUENCE_WINDOW / 64];
    uint64_t mask = UINT64_C(1) << number % 64;
    bool before = (*word & mask) != 0;
    *word |= mask;
    return before;
}

static uint64_t unseen(const struct sender *sender)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < WORDS; i++)
        seen += count_ones(sender->seen[i]);
    return sender->expected - seen;
}

/* A life begins with `number`: all before it is none of our business. */
static void begin_life(struct sender *sender, uint64_t boot_id, uint64_t number)
{
    memset(sender->seen, 0, sizeof sender->seen);
    sender->boot_id = boot_id;
    sender->highest = number;
    sender->expected = 1;
    test_and_set_seen(sender, number);
}

/*
 * Slides the window so that it ends `distance` further on; returns how many numbers left it
 * unseen. The numbers that enter take the bits of those that leave. Where the distance is longer
 * than the window, the numbers passed over enter and leave in one.
 */
static uint64_t slide(struct sender *sender, uint64_t distance)
{
    uint32_t leaving = distance < SEQUENCE_WINDOW ? (uint32_t)distance : SEQUENCE_WINDOW;
    uint32_t seen = clear_seen(sender, sender->highest + 1, leaving);
    uint64_t expected = sender->expected + distance;
    sender->highest += distance;
    if (expected <= SEQUENCE_WINDOW) {
        sender->expected = (uint32_t)expected; /* only places before the first number left */
        return 0;
    }
    sender->expected = SEQUENCE_WINDOW;
    return expected - SEQUENCE_WINDOW - seen;
}

static void note_ahead(struct sender *sender, uint64_t number, struct sequence_outcome *outcome)
{
    uint64_t distance = number - sender->highest;
    if (distance > SEQUENCE_MAX_JUMP) {
        outcome->restarted = 1;
        outcome->lost = unseen(sender);
        begin_life(sender, sender->boot_id, number);
        return;
    }
    outcome->lost = slide(sender, distance);
    test_and_set_seen(sender, number);
}

static void note_behind(struct sender *sender, uint64_t number, struct sequence_outcome *outcome)
{
    uint64_t age = sender->highest - number;
    if (age >= SEQUENCE_WINDOW && sender->boot_id == 0) {
        outcome->restarted = 1;
        outcome->lost = unseen(sender);
        begin_life(sender, 0, number);
        return;
    }
    if (age >= SEQUENCE_WINDOW) {
        outcome->late = 1;
        return;
    }
    if (age >= sender->expected)
        sender->expected = (uint32_t)age + 1; /* sent before the first one seen */
    if (test_and_set_seen(sender, number))
        outcome->duplicated = 1;
    else
        outcome->reordered = 1;
}

static void note_number(struct sender *sender, uint64_t boot_id, uint64_t number,
                        struct sequence_outcome *outcome)
{
    if (sender->boot_id != boot_id) {
        outcome->restarted = 1;
        outcome->lost = unseen(sender);
        begin_life(sender, boot_id, number);
    } else if (number > sender->highest) {
        note_ahead(sender, number, outcome);
    } else {
        note_behind(sender, number, outcome);
    }
}

/* --- finding the sender ----------------------------------------------------------------------- */

static bool is_recent(const struct sequence_recent *recent, const struct sequence_key *key,
                      const uint8_t head[32])
{
    return recent->known && recent->name_size == key->sender_size &&
           memcmp(recent->head, head, sizeof recent->head) == 0 &&
           (key->sender_size == 0 || memcmp(recent->name, key->sender, key->sender_size) == 0);
}

static void keep_recent(struct sequence_recent *recent, const struct sequence_key *key,
                        const uint8_t head[32], const uint64_t fingerprint[2])
{
    recent->known = key->sender_size <= sizeof recent->name;
    if (!recent->known)
        return;
    memcpy(recent->head, head, sizeof recent->head);
    recent->name_size = key->sender_size;
    if (key->sender_size != 0)
        memcpy(recent->name, key->sender, key->sender_size);
    memcpy(recent->fingerprint, fingerprint, sizeof recent->fingerprint);
}

/* The sender's name comes last and all before it has a fixed size, so no two keys read the same. */
static void fingerprint_of(const struct sequence_table *table, const struct sequence_key *key,
                           uint64_t fingerprint[2])
{
    const struct address *source = key->source;
    uint8_t head[32] = {0}; /* whole words are hashed fastest */
    memcpy(head, source->bytes, sizeof source->bytes);
    memcpy(head + 16, &source->scope, sizeof source->scope);
    memcpy(head + 20, &key->listener, sizeof key->listener);
    memcpy(head + 24, &key->schema, sizeof key->schema);
    head[28] = source->family;
    if (key->recent != NULL && is_recent(key->recent, key, head)) {
        memcpy(fingerprint, key->recent->fingerprint, sizeof key->recent->fingerprint);
        return;
    }
    struct siphash hash;
    siphash_begin(&hash, table->secret);
    siphash_feed(&hash, head, sizeof head);
    siphash_feed(&hash, key->sender, key->sender_size);
    siphash_end(&hash, fingerprint);
    if (key->recent != NULL)
        keep_recent(key->recent, key, head, fingerprint);
}

/*
 * The place of the sender with this fingerprint, or else where a newcomer goes: to an empty place,
 * or to that of the sender that has been quiet longest.
 */
static size_t find_place(const struct set *set, const uint64_t fingerprint[2], bool *found)
{
    size_t oldest = 0;
    for (size_t i = 0; i < WAYS; i++) {
        *found = set->last_used[i] != 0 && set->fingerprint[i][0] == fingerprint[0] &&
                 set->fingerprint[i][1] == fingerprint[1];
        if (*found)
            return i;
        if (set->last_used[i] < set->last_used[oldest])
            oldest = i;
    }
    return oldest;
}

/* Gives the place to a newcomer whose first number is `number`. */
static void admit(struct set *set, size_t place, const uint64_t fingerprint[2], uint32_t listener,
                  uint64_t boot_id, uint64_t number, struct sequence_outcome *outcome)
{
    struct sender *sender = &set->sender[place];
    if (set->last_used[place] != 0) {
        outcome->evicted = 1;
        outcome->evicted_listener = sender->listener;
        outcome->evicted_lost = unseen(sender);
    }
    outcome->new_senders = 1;
    set->fingerprint[place][0] = fingerprint[0];
    set->fingerprint[place][1] = fingerprint[1];
    sender->listener = listener;
    begin_life(sender, boot_id, number);
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

struct sequence_outcome sequence_note(struct sequence_table *table, const struct sequence_key *key,
                                      uint64_t boot_id, uint64_t number)
{
    struct sequence_outcome outcome = {0};
    uint64_t fingerprint[2];
    fingerprint_of(table, key, fingerprint);
    size_t index = (size_t)(fingerprint[0] % table->set_count);
    struct set *set = &table->sets[index];
    struct shard *shard = &table->shards[index % SHARDS];

    mutex_lock(shard->mutex);
    bool found;
    size_t place = find_place(set, fingerprint, &found);
    if (found)
        note_number(&set->sender[place], boot_id, number, &outcome);
    else
        admit(set, place, fingerprint, key->listener, boot_id, number, &outcome);
    if (table->senders != NULL) {
        struct sequence_sender *sender = &table->senders[index * WAYS + place];
        if (!found)
            keep_sender(sender, key);
        sender->lost += outcome.lost;
        sender->duplicated += outcome.duplicated;
    }
    set->last_used[place] = ++shard->tick;
    mutex_unlock(shard->mutex);
    return outcome;
}

void sequence_each_sender(struct sequence_table *table,
                          void (*told)(void *context, const struct sequence_sender *sender),
                          void *context)
{
    for (size_t i = 0; table->senders != NULL && i < table->set_count; i++) {
        const struct set *set = &table->sets[i];
        struct mutex *mutex = table->shards[i % SHARDS].mutex;
        mutex_lock(mutex);
        for (size_t place = 0; place < WAYS; place++) {
            struct sequence_sender *sender = &table->senders[i * WAYS + place];
            if (set->last_used[place] == 0)
                continue;
            sender->missing = unseen(&set->sender[place]);
            told(context, sender);
        }
        mutex_unlock(mutex);
    }
}

void sequence_settle(struct sequence_table *table,
                     void (*settled)(void *context, uint32_t listener, uint64_t lost),
                     void *context)
{
    for (size_t i = 0; i < table->set_count; i++) {
        struct set *set = &table->sets[i];
        for (size_t place = 0; place < WAYS; place++) {
            if (set->last_used[place] == 0)
                continue;
            settled(context, set->sender[place].listener, unseen(&set->sender[place]));
            set->last_used[place] = 0;
        }
    }
}
