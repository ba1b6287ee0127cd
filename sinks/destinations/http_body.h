/*
 * The bodies of requests: records of a block as they lie there, or made by the encoder's request
 * operations (collector/contract/encoder.h), and compressed where that is wanted.
 *
 * A maker has what all bodies of a sink share, and makes them one after the other, in one thread. A
 * body lives until it is made again; what is not made lies in the block. All memory is allocated by
 * create and init.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_BODY_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_BODY_H

#include "collector/contract/compression.h"
#include "collector/contract/delivery.h"
#include "collector/contract/encoder.h"
#include "collector/text/output.h"
#include "collector/text/text.h"
#include "sinks/destinations/http_exchange.h"

/* What a body is: of what a file begins with, and of records. */
#define HTTP_BODY_PIECES 2

struct http_body {
    struct output memory;   /* for what is made */
    struct output gathered; /* for records of one group among others */
    struct text pieces[HTTP_BODY_PIECES];
};

struct http_body_maker;

/*
 * Creates one for blocks of at most `block_size` bytes that the encoder fills. `compression` may be
 * NULL; it is not used where bodies have a content encoding of their own. Returns NULL where memory
 * is short.
 */
struct http_body_maker *http_body_maker_create(const struct encoder_ops *encoder,
                                               const struct compression_ops *compression,
                                               size_t block_size);

/* NULL is allowed. */
void http_body_maker_destroy(struct http_body_maker *maker);

/* Returns false, with nothing to be freed, where memory is short. */
bool http_body_init(struct http_body *body, const struct http_body_maker *maker);
void http_body_free(struct http_body *body);

/* Bytes that a maker and `count` bodies allocate. */
size_t http_body_memory(const struct encoder_ops *encoder,
                        const struct compression_ops *compression, size_t block_size, size_t count);

enum http_body_result {
    HTTP_BODY_MADE,
    HTTP_BODY_FOREIGN,   /* these bytes are not what the encoder appends */
    HTTP_BODY_TOO_LARGE, /* to be compressed at once */
};

/*
 * Makes the body of some records of a block, in that shape of the encoder's: those of the range
 * that are of the group of its first.
 */
enum http_body_result http_body_make(struct http_body_maker *maker, struct http_body *body,
                                     const struct delivery_block *block,
                                     const struct http_range *range, size_t shape);

/* Makes the body of no records, in the first shape. Returns false where memory is short. */
bool http_body_make_empty(struct http_body_maker *maker, struct http_body *body);

/* Its bytes. */
size_t http_body_size(const struct http_body *body);

#endif
