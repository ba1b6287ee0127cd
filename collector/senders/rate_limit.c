#include "collector/senders/rate_limit.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/other_set.h"
#include "collector/base/siphash.h"
#include "collector/platform/thread.h"

#define SHARDS 16
#define WAYS   8
#define SETS   (RATE_LIMIT_SOURCES / WAYS)
#define SECOND INT64_C(1000000000)

/*
 * What is missing from a bucket, in parts of a datagram: one nanosecond fills as many as the rate
 * is, and one datagram takes SECOND. So every rate is kept exactly, and an empty bucket lacks rate
 * times SECOND.
 */
struct bucket {
    uint64_t missing;
    int64_t at_ns; /* when that was so */
};

/* What a search reads stands together. A fingerprint of zeroes: the place is empty. */
struct set {
    uint64_t fingerprint[WAYS][2];
    struct bucket bucket[WAYS];
};

/* Guards the sets whose index is its own modulo SHARDS. */
struct shard {
    struct mutex *mutex;
    uint8_t apart[56]; /* keeps two shards out of one cache line */
};

struct rate_limit {
    struct shard shards[SHARDS];
    struct set *sets;
    uint64_t rate;
    uint8_t secret[16];
};

size_t rate_limit_memory(void)
{
    return sizeof(struct rate_limit) + SETS * sizeof(struct set);
}

struct rate_limit *rate_limit_create(uint64_t rate, const uint8_t secret[16])
{
    struct rate_limit *limit = calloc(1, sizeof *limit);
    if (limit == NULL)
        return NULL;
    limit->rate = rate;
    memcpy(limit->secret, secret, sizeof limit->secret);
    /* Zeroed by calloc, not by us: pages that no source has come to take no memory. */
    limit->sets = calloc(SETS, sizeof *limit->sets);
    bool complete = limit->sets != NULL;
    for (size_t i = 0; i < SHARDS; i++) {
        limit->shards[i].mutex = mutex_create();
        complete = complete && limit->shards[i].mutex != NULL;
    }
    if (!complete) {
        rate_limit_destroy(limit);
        return NULL;
    }
    return limit;
}

void rate_limit_destroy(struct rate_limit *limit)
{
    if (limit == NULL)
        return;
    for (size_t i = 0; i < SHARDS; i++)
        mutex_destroy(limit->shards[i].mutex);
    free(limit->sets);
    free(limit);
}

/* --- one source's bucket ---------------------------------------------------------------------- */

/* A bucket fills in a second, whatever the rate. */
static void refill(struct bucket *bucket, uint64_t rate, int64_t now_ns)
{
    int64_t passed = now_ns - bucket->at_ns;
    if (passed >= SECOND || passed <= -SECOND) {
        *bucket = (struct bucket){.missing = 0, .at_ns = now_ns};
    } else if (passed > 0) {
        uint64_t filled = (uint64_t)passed * rate;
        bucket->missing = bucket->missing > filled ? bucket->missing - filled : 0;
        bucket->at_ns = now_ns;
    }
}

static bool take(struct bucket *bucket, uint64_t rate)
{
    uint64_t after = bucket->missing + SECOND;
    if (after > rate * SECOND)
        return false;
    bucket->missing = after;
    return true;
}

/* When it will be full, to the nanosecond before. */
static int64_t full_at(const struct bucket *bucket, uint64_t rate)
{
    return bucket->at_ns + (int64_t)(bucket->missing / rate);
}

/* --- finding it ------------------------------------------------------------------------------- */

static void fingerprint_of(const struct rate_limit *limit, const struct address *source,
                           uint64_t fingerprint[2])
{
    uint8_t host[24] = {0}; /* whole words are hashed fastest */
    memcpy(host, source->bytes, sizeof source->bytes);
    memcpy(host + 16, &source->scope, sizeof source->scope);
    host[20] = source->family;
    struct siphash hash;
    siphash_begin(&hash, limit->secret);
    siphash_feed(&hash, host, sizeof host);
    siphash_end(&hash, fingerprint);
    fingerprint[1] |= 1; /* no source is taken for an empty place */
}

static struct bucket *find_in(struct set *set, const uint64_t fingerprint[2])
{
    for (size_t i = 0; i < WAYS; i++)
        if (set->fingerprint[i][0] == fingerprint[0] && set->fingerprint[i][1] == fingerprint[1])
            return &set->bucket[i];
    return NULL;
}

static bool is_empty(const struct set *set, size_t place)
{
    return set->fingerprint[place][1] == 0;
}

/* An empty place, rather of the first set; else that of the bucket which is full first, of both. */
static struct bucket *take_place(struct set *const sets[2], const uint64_t fingerprint[2],
                                 uint64_t rate)
{
    struct set *set = sets[0];
    size_t place = 0;
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < 2 * WAYS && first != INT64_MIN; i++) {
        struct set *at = sets[i / WAYS];
        int64_t full = is_empty(at, i % WAYS) ? INT64_MIN : full_at(&at->bucket[i % WAYS], rate);
        if (full >= first)
            continue;
        first = full;
        set = at;
        place = i % WAYS;
    }
    memcpy(set->fingerprint[place], fingerprint, sizeof set->fingerprint[place]);
    return &set->bucket[place];
}

static struct bucket *find_bucket(struct set *const sets[2], const uint64_t fingerprint[2],
                                  uint64_t rate, int64_t now_ns)
{
    for (size_t i = 0; i < 2; i++) {
        struct bucket *bucket = find_in(sets[i], fingerprint);
        if (bucket != NULL)
            return bucket;
    }
    struct bucket *bucket = take_place(sets, fingerprint, rate);
    *bucket = (struct bucket){.missing = 0, .at_ns = now_ns};
    return bucket;
}

bool rate_limit_take(struct rate_limit *limit, const struct address *source, int64_t now_ns)
{
    uint64_t fingerprint[2];
    fingerprint_of(limit, source, fingerprint);
    size_t index = (size_t)(fingerprint[0] % SETS);
    size_t other = other_set(index, SETS, SHARDS, fingerprint[1]);
    struct set *const sets[] = {&limit->sets[index], &limit->sets[other]};
    struct mutex *mutex = limit->shards[index % SHARDS].mutex;
    mutex_lock(mutex);
    struct bucket *bucket = find_bucket(sets, fingerprint, limit->rate, now_ns);
    refill(bucket, limit->rate, now_ns);
    bool taken = take(bucket, limit->rate);
    mutex_unlock(mutex);
    return taken;
}
