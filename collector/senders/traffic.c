#include "collector/senders/traffic.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/counter.h"
#include "collector/base/rule.h"
#include "collector/base/siphash.h"

#define WAYS 8
#define SETS (TRAFFIC_SENDERS / WAYS)

/* Number of datagrams after which all ranks are halved. Halving takes about a microsecond. */
#define FADE_EVERY 65536

/*
 * A sender as three words: two of its address; one of scope, listener and family. All are 0 in an
 * empty slot.
 */
struct key {
    uint64_t words[3];
};

/*
 * A seqlock: `version` is odd while a slot changes its sender. A reader that finds it odd, or
 * changed since, reads again. Counts of the same sender only grow, and change without it. Each word
 * is a counter (stored with release, read with acquire), so no fence is needed (Boehm, "Can
 * seqlocks get along with programming language memory models?", 2012).
 */
struct set {
    struct counter version;
    struct counter key[WAYS][3];
    struct counter rank[WAYS];
    struct counter datagrams[WAYS];
    struct counter bytes[WAYS];
};

struct traffic_table {
    struct set sets[SETS];
    struct counter replaced;
    uint32_t noted;      /* number of datagrams since ranks were halved */
    uint64_t factors[3]; /* secret factors of the hash */
};

struct traffic_table *traffic_table_create(const uint8_t secret[16])
{
    struct traffic_table *table = calloc(1, sizeof *table);
    for (uint8_t i = 0; table != NULL && i < 3; i++) {
        struct siphash hash;
        uint64_t factors[2];
        siphash_begin(&hash, secret);
        siphash_feed(&hash, &i, sizeof i);
        siphash_end(&hash, factors);
        table->factors[i] = factors[0] | 1;
    }
    return table;
}

void traffic_table_destroy(struct traffic_table *table)
{
    free(table);
}

size_t traffic_table_memory(void)
{
    return sizeof(struct traffic_table);
}

/* --- keys ------------------------------------------------------------------------------------- */

static struct key key_of(uint32_t listener, const struct address *source)
{
    struct key key;
    memcpy(key.words, source->bytes, sizeof source->bytes);
    key.words[2] = (uint64_t)source->scope << 32 | (uint64_t)listener << 8 | source->family;
    return key;
}

static void unpack_key(const struct key *key, struct traffic_sender *sender)
{
    memcpy(sender->source.bytes, key->words, sizeof sender->source.bytes);
    sender->source.scope = (uint32_t)(key->words[2] >> 32);
    sender->source.family = (uint8_t)key->words[2];
    sender->source.port = 0;
    sender->source.port_high = 0;
    sender->listener = (uint32_t)key->words[2] >> 8;
}

/*
 * Multiply-shift hashing of vectors (Dietzfelbinger, "Universal hashing and k-wise independent
 * random variables via integer arithmetic without primes", 1996): two senders that were chosen
 * without knowing the factors share a set hardly more often than by chance. It takes a tenth of
 * SipHash's time. The sums of neighbouring addresses are equally spaced and would, with one in a
 * hundred secrets, leave half of the sets empty; a final multiplication prevents this.
 */
static struct set *set_of(struct traffic_table *table, const struct key *key)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < 3; i++)
        sum += table->factors[i] * key->words[i];
    sum = (sum ^ sum >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return &table->sets[(sum >> 32) * SETS >> 32];
}

static bool holds(const struct set *set, size_t way, const struct key *key)
{
    return counter_read(&set->key[way][0]) == key->words[0] &&
           counter_read(&set->key[way][2]) == key->words[2] &&
           counter_read(&set->key[way][1]) == key->words[1];
}

/* --- counting a datagram ---------------------------------------------------------------------- */

/* Returns the sender's slot, otherwise the slot with the lowest rank. An empty slot has rank 0. */
static size_t find_way(const struct set *set, const struct key *key, bool *found)
{
    size_t least = 0;
    for (size_t i = 0; i < WAYS; i++) {
        *found = holds(set, i, key);
        if (*found)
            return i;
        if (counter_read(&set->rank[i]) < counter_read(&set->rank[least]))
            least = i;
    }
    return least;
}

/*
 * Gives the slot to a new host, and counts its first datagram, so that a reader never sees a sender
 * without datagrams.
 */
static void admit_host(struct traffic_table *table, struct set *set, size_t way,
                       const struct key *key, uint32_t bytes)
{
    RULE(counter_read(&set->version) % 2 == 0, "one thread notes in a table");
    counter_add(&set->version, 1);
    counter_add(&table->replaced, counter_read(&set->key[way][2]) != 0);
    for (size_t i = 0; i < 3; i++)
        counter_set(&set->key[way][i], key->words[i]);
    counter_set(&set->datagrams[way], 1);
    counter_set(&set->bytes[way], bytes);
    counter_add(&set->version, 1);
}

/* Rounds up, so that a rank above 0 stays above 0: only an empty slot has rank 0. */
static void fade(struct traffic_table *table)
{
    table->noted = 0;
    for (size_t i = 0; i < SETS; i++)
        for (size_t k = 0; k < WAYS; k++) {
            struct counter *rank = &table->sets[i].rank[k];
            counter_set(rank, (counter_read(rank) + 1) / 2);
        }
}

void traffic_note(struct traffic_table *table, uint32_t listener, const struct address *source,
                  uint32_t bytes)
{
    struct key key = key_of(listener, source);
    struct set *set = set_of(table, &key);
    bool found;
    size_t way = find_way(set, &key, &found);
    counter_add(&set->rank[way], 1);
    if (found) {
        counter_add(&set->datagrams[way], 1);
        counter_add(&set->bytes[way], bytes);
    } else {
        admit_host(table, set, way, &key, bytes);
    }
    if (++table->noted == FADE_EVERY)
        fade(table);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Returns false if a slot changed its sender during the read. */
static bool try_read(const struct set *set, struct traffic_sender *senders, size_t *count)
{
    uint64_t version = counter_read(&set->version);
    *count = 0;
    for (size_t i = 0; i < WAYS; i++) {
        struct traffic_sender *sender = &senders[*count];
        struct key key;
        for (size_t k = 0; k < 3; k++)
            key.words[k] = counter_read(&set->key[i][k]);
        unpack_key(&key, sender);
        sender->rank = counter_read(&set->rank[i]);
        sender->bytes = counter_read(&set->bytes[i]); /* `bytes` is written after `datagrams`, so it
                                                       * must be read before it (counter.h) */
        sender->datagrams = counter_read(&set->datagrams[i]);
        *count += key.words[2] != 0;
    }
    return version % 2 == 0 && counter_read(&set->version) == version;
}

/*
 * A reader tries a set at most this number of times, and omits it if it changes during each try.
 * Only a flood of forged senders changes a set so often.
 */
#define TRIES 100

size_t traffic_read(const struct traffic_table *table, struct traffic_sender *senders)
{
    struct traffic_sender found[WAYS];
    size_t total = 0;
    for (size_t i = 0; i < SETS; i++) {
        size_t count;
        int tries = 0;
        while (!try_read(&table->sets[i], found, &count) && ++tries < TRIES) {
        }
        if (tries == TRIES)
            continue;
        memcpy(senders + total, found, count * sizeof *found);
        total += count;
    }
    return total;
}

uint64_t traffic_replaced(const struct traffic_table *table)
{
    return counter_read(&table->replaced);
}
