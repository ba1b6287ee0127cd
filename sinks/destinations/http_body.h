/*
 * Makes the bodies of requests. A body has records of a block, unchanged or converted by the
 * encoder's request operations (collector/contract/encoder.h), and may be compressed.
 *
 * A maker has the memory that all bodies of a sink share. It makes one body at a time, in one
 * thread. A body is valid until it is made again, and only while its block exists, because it may
 * point into the block. Only create and init allocate memory.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_BODY_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_BODY_H

#include "collector/contract/compression.h"
#include "collector/contract/delivery.h"
#include "collector/contract/encoder.h"
#include "collector/text/output.h"
#include "collector/text/text.h"
#include "sinks/destinations/http_exchange.h"

/* The number of pieces of a body: the format's head, and the records. */
#define HTTP_BODY_PIECES 2

struct http_body {
    struct output memory;   /* the converted or compressed body */
    struct output gathered; /* copies of a group's records that are not consecutive in the block */
    struct text pieces[HTTP_BODY_PIECES];
};

struct http_body_maker;

/*
 * Creates a maker for the encoder's blocks of at most `block_size` bytes. `compression` may be
 * NULL, and is not used if the encoder's bodies have a content encoding. Returns NULL if out of
 * memory.
 */
struct http_body_maker *http_body_maker_create(const struct encoder_ops *encoder,
                                               const struct compression_ops *compression,
                                               size_t block_size);

/* NULL is allowed. */
void http_body_maker_destroy(struct http_body_maker *maker);

/* Returns false if out of memory; then there is nothing to free. */
bool http_body_init(struct http_body *body, const struct http_body_maker *maker);
void http_body_free(struct http_body *body);

/* Returns the bytes that a maker and `count` bodies allocate. */
size_t http_body_memory(const struct encoder_ops *encoder,
                        const struct compression_ops *compression, size_t block_size, size_t count);

enum http_body_result {
    HTTP_BODY_MADE,
    HTTP_BODY_FOREIGN,   /* the block is not in the encoder's format */
    HTTP_BODY_TOO_LARGE, /* too many bytes to compress in one call */
};

/*
 * Makes a body in the encoder's shape number `shape`. It contains the records of the range that are
 * in the same group (delivery_record.group) as the range's first record.
 */
enum http_body_result http_body_make(struct http_body_maker *maker, struct http_body *body,
                                     const struct delivery_block *block,
                                     const struct http_range *range, size_t shape);

/* Makes a body without records. Returns false if out of memory. */
bool http_body_make_empty(struct http_body_maker *maker, struct http_body *body, size_t shape);

/* Returns the size of the body in bytes. */
size_t http_body_size(const struct http_body *body);

#endif
