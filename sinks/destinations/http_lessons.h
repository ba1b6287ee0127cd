/*
 * Lessons that an http: sink learns from refusals: series and senders of which the server recently
 * refused every record, and how many bytes it accepts in one request.
 *
 * Records of such series and senders are sent in separate requests, so that the other records of a
 * block are not divided because of them. The table is bounded: when it is full, the entry with the
 * fewest refusals is replaced. Series and senders are identified by fingerprints, which are the
 * record's key in the block; without keys there are no lessons.
 *
 * For one thread, except http_lessons_any.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_LESSONS_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_LESSONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/delivery.h"

struct record;

/* The maximum number of series and senders that are remembered. */
#define HTTP_LESSONS_MOST 512

/* A group gets its own requests after this number of single records was refused in a row. */
#define HTTP_LESSONS_ISOLATED 2

/* After these numbers a refused group, or every refused block, is no longer divided. */
#define HTTP_LESSONS_HOPELESS     16
#define HTTP_LESSONS_ALL_HOPELESS 256

struct http_lesson {
    uint32_t fingerprint;
    uint32_t refusals; /* 0: the entry is empty */
};

struct http_lessons {
    struct http_lesson table[HTTP_LESSONS_MOST];
    size_t used;
    unsigned in_a_row; /* single records refused since any record was accepted */
    size_t most_bytes; /* size of the records that the server accepts in a request; 0: unknown */
    atomic_bool any;   /* some refusal is remembered */
};

/* The size of a record's key in bytes. */
#define HTTP_FINGERPRINTS_SIZE (2 * sizeof(uint32_t))

/* Writes the record's key. With `secret`, senders cannot choose colliding labels. Any thread. */
size_t http_lessons_key(const uint8_t secret[16], const struct record *record, uint8_t *key);

/* Notes that a record was refused that was the only one of its request. */
void http_lessons_refused(struct http_lessons *lessons, const struct delivery_block *block,
                          const struct delivery_record *record);

/* A record was accepted: forgets its series and its sender. */
void http_lessons_taken(struct http_lessons *lessons, const struct delivery_block *block,
                        const struct delivery_record *record);

/*
 * Returns the fingerprint of the record's isolated group, or 0 if the record is not isolated. Sets
 * *refusals to the number of refused records of the group.
 */
uint32_t http_lessons_group(const struct http_lessons *lessons, const struct delivery_block *block,
                            const struct delivery_record *record, uint32_t *refusals);

/*
 * Returns whether a single record of its series was refused and no record of the series accepted
 * since.
 */
bool http_lessons_knows_series(const struct http_lessons *lessons,
                               const struct delivery_block *block,
                               const struct delivery_record *record);

/* Learns that the server refused a request with `bytes` bytes of records as too large. */
void http_lessons_too_large(struct http_lessons *lessons, size_t bytes);

/* To be called for each block. Raises a learned limit slowly, so that the limit is tested again. */
void http_lessons_begin(struct http_lessons *lessons);

bool http_lessons_any(const struct http_lessons *lessons);

#endif
