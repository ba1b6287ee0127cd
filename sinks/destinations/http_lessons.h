/*
 * What an http: sink has learnt from refusals: series and senders of which the server refused every
 * record lately, and the bytes that it takes in one request.
 *
 * Their records are sent in requests of their own, so that what a block with bad records costs is
 * not paid again for each block. Bounded: where the table has no room, the entry with the fewest
 * refusals is forgotten. A record is known by the fingerprints of its series and of its sender,
 * which are its key in the block; a block whose records have no keys has no lessons either.
 *
 * One thread learns and asks; http_lessons_any is for any thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_LESSONS_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_LESSONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/delivery.h"

struct record;

/* Series and senders that are remembered. */
#define HTTP_LESSONS_MOST 512

/* Records refused by themselves, and none taken since, before a group has its own requests. */
#define HTTP_LESSONS_ISOLATED 2

/* The same before a refused group, or for all records a refused block, is no longer divided. */
#define HTTP_LESSONS_HOPELESS     16
#define HTTP_LESSONS_ALL_HOPELESS 256

struct http_lesson {
    uint32_t fingerprint;
    uint32_t refusals; /* 0: the entry is empty */
};

struct http_lessons {
    struct http_lesson table[HTTP_LESSONS_MOST];
    size_t used;
    unsigned in_a_row; /* records refused by themselves since any was taken */
    size_t most_bytes; /* of records in a request, as far as it is known; 0: it is not */
    atomic_bool any;   /* a record was refused, and is remembered */
};

/* Bytes of a record's key. */
#define HTTP_FINGERPRINTS_SIZE (2 * sizeof(uint32_t))

/* Writes the record's key. `secret`: senders cannot choose labels that collide. Any thread. */
size_t http_lessons_key(const uint8_t secret[16], const struct record *record, uint8_t *key);

/* A record was refused when it was the only one of a request. */
void http_lessons_refused(struct http_lessons *lessons, const struct delivery_block *block,
                          const struct delivery_record *record);

/* A record was taken: its series and its sender are as all others. */
void http_lessons_taken(struct http_lessons *lessons, const struct delivery_block *block,
                        const struct delivery_record *record);

/*
 * The group that the record is isolated in, and how often records of it were refused; 0: it is not
 * isolated.
 */
uint32_t http_lessons_group(const struct http_lessons *lessons, const struct delivery_block *block,
                            const struct delivery_record *record, uint32_t *refusals);

/* Whether a record of its series was refused by itself, and none was taken since. */
bool http_lessons_knows_series(const struct http_lessons *lessons,
                               const struct delivery_block *block,
                               const struct delivery_record *record);

/* A request with records of `bytes` bytes was too large. */
void http_lessons_too_large(struct http_lessons *lessons, size_t bytes);

/* A block begins: a limit that was learnt grows slowly, so that it is tested again. */
void http_lessons_begin(struct http_lessons *lessons);

bool http_lessons_any(const struct http_lessons *lessons);

#endif
