/*
 * An http: sink learns from refusals: it remembers the series and senders of which the server
 * recently refused every record, and the number of bytes that it accepts in one request.
 *
 * Records of such series and senders are sent in separate requests, so that a block is not divided
 * because of them. The table is bounded: when it is full, the entry with the fewest refusals is
 * replaced. Series and senders are identified by fingerprints, which are the record's key in the
 * block. Without keys nothing is learned about series and senders.
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

/*
 * Number of single records refused in a row after which their series or sender gets separate
 * requests.
 */
#define HTTP_LESSONS_ISOLATED 2

/*
 * Number of refusals after which a group's refused request, or every refused block, is not divided.
 */
#define HTTP_LESSONS_HOPELESS     16
#define HTTP_LESSONS_ALL_HOPELESS 256

struct http_lesson {
    uint32_t fingerprint;
    uint32_t refusals; /* refused in a row; 0 if the entry is empty */
};

struct http_lessons {
    struct http_lesson table[HTTP_LESSONS_MOST];
    size_t used;
    unsigned in_a_row; /* single records refused since any record was accepted */
    size_t most_bytes; /* bytes of records that the server accepts in a request, or 0 if unknown */
    atomic_bool any;   /* a refusal is stored in the table */
};

/* The size of a record's key in bytes. */
#define HTTP_FINGERPRINTS_SIZE (2 * sizeof(uint32_t))

/*
 * Writes the record's key, and returns its size. The secret prevents senders from choosing labels
 * with colliding fingerprints. Any thread.
 */
size_t http_lessons_key(const uint8_t secret[16], const struct record *record, uint8_t *key);

/* To be called when the server refuses a request that has only this record. */
void http_lessons_refused(struct http_lessons *lessons, const struct delivery_block *block,
                          const struct delivery_record *record);

/* To be called when a record is accepted: forgets its series and its sender. */
void http_lessons_taken(struct http_lessons *lessons, const struct delivery_block *block,
                        const struct delivery_record *record);

/*
 * Returns the fingerprint of the record's isolated group, or 0 if the record is not isolated. Sets
 * *refusals to the number of refused records of the group.
 */
uint32_t http_lessons_group(const struct http_lessons *lessons, const struct delivery_block *block,
                            const struct delivery_record *record, uint32_t *refusals);

/*
 * Returns true if a single record of the series was refused, and no record of the series was
 * accepted since.
 */
bool http_lessons_knows_series(const struct http_lessons *lessons,
                               const struct delivery_block *block,
                               const struct delivery_record *record);

/* To be called when the server refuses a request with `bytes` bytes of records as too large. */
void http_lessons_too_large(struct http_lessons *lessons, size_t bytes);

/*
 * To be called for each block. Raises the learned limit slowly, so that the server is tested again.
 */
void http_lessons_begin(struct http_lessons *lessons);

bool http_lessons_any(const struct http_lessons *lessons);

#endif
