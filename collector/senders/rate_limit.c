#include "collector/senders/rate_limit.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/base/siphash.h"
#include "collector/platform/thread.h"
#include "collector/senders/sharded_sets.h"

#define SETS   (RATE_LIMIT_SOURCES / WAYS)
#define SECOND INT64_C(1000000000)

/* Used in place of the address family when a name is hashed. No address family has this value. */
#define NAMED 0xff

/*
 * A bucket stores the tokens that it lacks, in units of 1/SECOND of a datagram. A datagram takes
 * SECOND units, and each nanosecond adds `rate` units, so every rate is exact. An empty bucket
 * lacks rate * SECOND units.
 */
struct bucket {
    uint64_t missing;
    int64_t at_ns; /* time of `missing` */
};

/*
 * `fingerprint` is zero in an empty slot. The fingerprints are adjacent because a search reads all
 * of them.
 */
struct set {
    uint64_t fingerprint[WAYS][2];
    struct bucket bucket[WAYS];
};

struct rate_limit {
    struct sharded_sets frame;
    struct set *sets;
    uint64_t rate;
};

size_t rate_limit_memory(void)
{
    return sizeof(struct rate_limit) + SETS * sizeof(struct set);
}

struct rate_limit *rate_limit_create(uint64_t rate, const uint8_t secret[16])
{
    RULE(rate != 0 && rate <= RATE_LIMIT_MOST, "a rate is within its limits");
    struct rate_limit *limit = calloc(1, sizeof *limit);
    if (limit == NULL)
        return NULL;
    limit->rate = rate;
    /* The memory is zeroed only by calloc, so that pages that no source uses take no memory. */
    limit->sets = calloc(SETS, sizeof *limit->sets);
    if (!sharded_sets_create(&limit->frame, SETS, secret) || limit->sets == NULL) {
        rate_limit_destroy(limit);
        return NULL;
    }
    return limit;
}

void rate_limit_destroy(struct rate_limit *limit)
{
    if (limit == NULL)
        return;
    sharded_sets_destroy(&limit->frame);
    free(limit->sets);
    free(limit);
}

/* --- one source's bucket ---------------------------------------------------------------------- */

/*
 * Fills the bucket up to `now_ns`. A bucket is full after one second at any rate. The difference is
 * unsigned because times of a capture may differ by more than INT64_MAX.
 */
static void refill(struct bucket *bucket, uint64_t rate, int64_t now_ns)
{
    bool is_later = now_ns > bucket->at_ns;
    uint64_t apart = is_later ? (uint64_t)now_ns - (uint64_t)bucket->at_ns
                              : (uint64_t)bucket->at_ns - (uint64_t)now_ns;
    if (apart >= SECOND) {
        *bucket = (struct bucket){.missing = 0, .at_ns = now_ns};
    } else if (is_later) {
        uint64_t filled = apart * rate;
        bucket->missing = bucket->missing > filled ? bucket->missing - filled : 0;
        bucket->at_ns = now_ns;
    }
}

static bool take_token(struct bucket *bucket, uint64_t rate)
{
    uint64_t after = bucket->missing + SECOND;
    if (after > rate * SECOND)
        return false;
    bucket->missing = after;
    return true;
}

/* Returns the time at which the bucket will be full, rounded down to nanoseconds. */
static int64_t full_at(const struct bucket *bucket, uint64_t rate)
{
    int64_t takes_ns = (int64_t)(bucket->missing / rate);
    return bucket->at_ns > INT64_MAX - takes_ns ? INT64_MAX : bucket->at_ns + takes_ns;
}

/* --- search ----------------------------------------------------------------------------------- */

static void fingerprint_of(const struct rate_limit *limit, const struct address *source,
                           const char *sender, uint64_t fingerprint[2])
{
    uint8_t host[24] = {0}; /* has a multiple of 8 bytes, because the hash is fastest for whole
                             * words */
    struct siphash hash;
    siphash_begin(&hash, limit->frame.secret);
    if (sender == NULL) {
        memcpy(host, source->bytes, sizeof source->bytes);
        memcpy(host + 16, &source->scope, sizeof source->scope);
        host[20] = source->family;
        siphash_feed(&hash, host, sizeof host);
    } else {
        host[20] = NAMED;
        siphash_feed(&hash, host, sizeof host);
        siphash_feed(&hash, sender, strlen(sender));
    }
    siphash_end(&hash, fingerprint);
    fingerprint[1] |= 1; /* never 0, because 0 marks an empty slot */
}

static struct bucket *find_in(struct set *set, const uint64_t fingerprint[2])
{
    for (size_t i = 0; i < WAYS; i++)
        if (set->fingerprint[i][0] == fingerprint[0] && set->fingerprint[i][1] == fingerprint[1])
            return &set->bucket[i];
    return NULL;
}

/* Ranks an empty slot lowest, then the bucket that will be full first. */
static int64_t full_first(const void *table, struct slot slot)
{
    const struct rate_limit *limit = table;
    const struct set *set = &limit->sets[slot.set];
    bool is_empty = set->fingerprint[slot.way][1] == 0;
    return is_empty ? INT64_MIN : full_at(&set->bucket[slot.way], limit->rate);
}

/* Returns the source's bucket. A new source gets an empty slot, or replaces another source. */
static struct bucket *find_bucket(struct rate_limit *limit, const uint64_t fingerprint[2],
                                  const size_t sets[2], int64_t now_ns)
{
    for (size_t i = 0; i < 2; i++) {
        struct bucket *bucket = find_in(&limit->sets[sets[i]], fingerprint);
        if (bucket != NULL)
            return bucket;
    }
    struct slot slot = slot_of_least(sets, full_first, limit);
    struct set *set = &limit->sets[slot.set];
    memcpy(set->fingerprint[slot.way], fingerprint, sizeof set->fingerprint[slot.way]);
    set->bucket[slot.way] = (struct bucket){.missing = 0, .at_ns = now_ns};
    return &set->bucket[slot.way];
}

bool rate_limit_take(struct rate_limit *limit, const struct address *source, const char *sender,
                     int64_t now_ns)
{
    uint64_t fingerprint[2];
    fingerprint_of(limit, source, sender, fingerprint);
    size_t first = first_set(&limit->frame, fingerprint);
    const size_t sets[] = {first, second_set(&limit->frame, first, fingerprint)};
    struct mutex *mutex = shard_of(&limit->frame, first)->mutex;
    mutex_lock(mutex);
    struct bucket *bucket = find_bucket(limit, fingerprint, sets, now_ns);
    refill(bucket, limit->rate, now_ns);
    bool taken = take_token(bucket, limit->rate);
    mutex_unlock(mutex);
    return taken;
}
