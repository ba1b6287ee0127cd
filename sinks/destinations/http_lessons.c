#include "sinks/destinations/http_lessons.h"

#include <string.h>

#include "collector/base/rule.h"
#include "collector/base/siphash.h"
#include "collector/contract/record.h"
#include "sinks/destinations/record_key.h"

/* The table is 4-way set associative: a fingerprint can be in WAYS entries. */
#define WAYS 4

/* Each block raises the learned limit by 1/GROWTH of it. */
#define GROWTH 16

/* --- fingerprints ----------------------------------------------------------------------------- */

static uint32_t fingerprint(const uint8_t secret[16], const uint8_t *source, size_t source_size,
                            const uint8_t *series, size_t series_size)
{
    struct siphash hash;
    uint64_t result[2];
    siphash_begin(&hash, secret);
    siphash_feed(&hash, source, source_size);
    siphash_feed(&hash, series, series_size);
    siphash_end(&hash, result);
    uint32_t print = (uint32_t)result[0];
    return print == 0 ? 1 : print;
}

size_t http_lessons_key(const uint8_t secret[16], const struct record *record, uint8_t *key)
{
    static const struct key_options by_source = {.kind = KEY_SOURCE};
    static const struct key_options by_series = {.kind = KEY_SERIES};
    uint8_t source[DELIVERY_KEY_SIZE], series[DELIVERY_KEY_SIZE];
    size_t source_size = record_key(&by_source, record, source);
    size_t series_size = record_key(&by_series, record, series);
    const uint32_t prints[2] = {fingerprint(secret, source, source_size, series, series_size),
                                fingerprint(secret, source, source_size, NULL, 0)};
    memcpy(key, prints, sizeof prints);
    return sizeof prints;
}

static bool lessons_read_key(const struct delivery_block *block,
                             const struct delivery_record *record, uint32_t prints[2])
{
    if (block->keys == NULL || record->key_size != HTTP_FINGERPRINTS_SIZE)
        return false;
    memcpy(prints, block->keys + record->key, HTTP_FINGERPRINTS_SIZE);
    return true;
}

/* --- the table -------------------------------------------------------------------------------- */

static const struct http_lesson *lessons_find(const struct http_lessons *lessons, uint32_t print)
{
    const struct http_lesson *ways = lessons->table + print % (HTTP_LESSONS_MOST / WAYS) * WAYS;
    for (size_t i = 0; i < WAYS; i++)
        if (ways[i].refusals != 0 && ways[i].fingerprint == print)
            return &ways[i];
    return NULL;
}

static void count_refusal(struct http_lessons *lessons, uint32_t print)
{
    struct http_lesson *ways = lessons->table + print % (HTTP_LESSONS_MOST / WAYS) * WAYS;
    struct http_lesson *found = &ways[0];
    for (size_t i = 0; i < WAYS; i++) {
        if (ways[i].refusals != 0 && ways[i].fingerprint == print) {
            ways[i].refusals += ways[i].refusals != UINT32_MAX;
            return;
        }
        if (ways[i].refusals < found->refusals)
            found = &ways[i];
    }
    lessons->used += found->refusals == 0;
    RULE(lessons->used <= HTTP_LESSONS_MOST, "no more entries are used than there are");
    *found = (struct http_lesson){.fingerprint = print, .refusals = 1};
}

static void lessons_forget(struct http_lessons *lessons, uint32_t print)
{
    const struct http_lesson *found = lessons_find(lessons, print);
    if (found == NULL)
        return;
    RULE(lessons->used != 0, "an entry that is found is counted");
    lessons->table[found - lessons->table].refusals = 0;
    if (--lessons->used == 0)
        atomic_store_explicit(&lessons->any, false, memory_order_relaxed);
}

void http_lessons_refused(struct http_lessons *lessons, const struct delivery_block *block,
                          const struct delivery_record *record)
{
    uint32_t prints[2];
    atomic_store_explicit(&lessons->any, true, memory_order_relaxed);
    if (!lessons_read_key(block, record, prints))
        return;
    count_refusal(lessons, prints[0]);
    count_refusal(lessons, prints[1]);
}

void http_lessons_taken(struct http_lessons *lessons, const struct delivery_block *block,
                        const struct delivery_record *record)
{
    uint32_t prints[2];
    if (lessons->used == 0 || !lessons_read_key(block, record, prints))
        return;
    lessons_forget(lessons, prints[0]);
    lessons_forget(lessons, prints[1]);
}

/*
 * The sender is looked up before the series, so that all series of a refused sender share a
 * request.
 */
uint32_t http_lessons_group(const struct http_lessons *lessons, const struct delivery_block *block,
                            const struct delivery_record *record, uint32_t *refusals)
{
    uint32_t prints[2];
    if (lessons->used == 0 || !lessons_read_key(block, record, prints))
        return 0;
    for (size_t i = 2; i-- != 0;) {
        const struct http_lesson *found = lessons_find(lessons, prints[i]);
        if (found != NULL && found->refusals >= HTTP_LESSONS_ISOLATED) {
            *refusals = found->refusals;
            return found->fingerprint;
        }
    }
    return 0;
}

bool http_lessons_knows_series(const struct http_lessons *lessons,
                               const struct delivery_block *block,
                               const struct delivery_record *record)
{
    uint32_t prints[2];
    return lessons_read_key(block, record, prints) && lessons_find(lessons, prints[0]) != NULL;
}

void http_lessons_too_large(struct http_lessons *lessons, size_t bytes)
{
    size_t half = bytes / 2;
    if (half != 0 && (lessons->most_bytes == 0 || half < lessons->most_bytes))
        lessons->most_bytes = half;
}

void http_lessons_begin(struct http_lessons *lessons)
{
    if (lessons->most_bytes < SIZE_MAX / 2)
        lessons->most_bytes += lessons->most_bytes / GROWTH;
}

bool http_lessons_any(const struct http_lessons *lessons)
{
    return atomic_load_explicit(&lessons->any, memory_order_relaxed);
}
