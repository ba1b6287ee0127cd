#include "sinks/destinations/http_body.h"

#include <stdlib.h>

struct http_body_maker {
    const struct encoder_request *request; /* NULL: records are sent unchanged */
    struct compression *compression;       /* NULL: bodies are not compressed */
    size_t block_size;                     /* maximum number of bytes of records */
    size_t room;                           /* capacity of http_body.memory in bytes */
    struct output plain;                   /* the body before it is compressed */
    void *scratch;
};

/* Sizes of the allocations of a maker and a body. */
struct sizes {
    size_t plain, scratch, body;
};

static struct sizes sizes_of(const struct encoder_request *request,
                             const struct compression_ops *compression, size_t block_size)
{
    size_t plain = request == NULL ? block_size : request->bound(block_size);
    struct sizes sizes = {0};
    if (request != NULL && request->scratch != NULL)
        sizes.scratch = request->scratch(block_size);
    if (compression != NULL) {
        sizes.plain = plain;
        sizes.body =
            compression->bound(plain < COMPRESSION_INPUT_MAX ? plain : COMPRESSION_INPUT_MAX);
    } else if (request != NULL) {
        sizes.body = plain;
    }
    return sizes;
}

/* A body that has a content encoding already is not compressed again. */
static const struct compression_ops *used_compression(const struct encoder_ops *encoder,
                                                      const struct compression_ops *compression)
{
    bool encoded = encoder->request != NULL && encoder->request->shapes[0].content_encoding != NULL;
    return encoded ? NULL : compression;
}

struct http_body_maker *http_body_maker_create(const struct encoder_ops *encoder,
                                               const struct compression_ops *compression,
                                               size_t block_size)
{
    const struct compression_ops *used = used_compression(encoder, compression);
    const struct sizes sizes = sizes_of(encoder->request, used, block_size);
    struct http_body_maker *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->request = encoder->request;
    made->block_size = block_size;
    made->room = sizes.body;
    made->plain.capacity = sizes.plain;
    if (sizes.plain != 0)
        made->plain.data = malloc(sizes.plain);
    if (sizes.scratch != 0)
        made->scratch = malloc(sizes.scratch);
    if (used != NULL)
        made->compression = used->create();
    if ((sizes.plain == 0 || made->plain.data != NULL) &&
        (sizes.scratch == 0 || made->scratch != NULL) &&
        (used == NULL || made->compression != NULL))
        return made;
    http_body_maker_destroy(made);
    return NULL;
}

void http_body_maker_destroy(struct http_body_maker *maker)
{
    if (maker == NULL)
        return;
    if (maker->compression != NULL)
        maker->compression->ops->destroy(maker->compression);
    free(maker->scratch);
    free(maker->plain.data);
    free(maker);
}

bool http_body_init(struct http_body *body, const struct http_body_maker *maker)
{
    *body = (struct http_body){.memory = {.capacity = maker->room},
                               .gathered = {.capacity = maker->block_size}};
    body->gathered.data = malloc(maker->block_size);
    if (maker->room != 0)
        body->memory.data = malloc(maker->room);
    if (body->gathered.data != NULL && (maker->room == 0 || body->memory.data != NULL))
        return true;
    http_body_free(body);
    return false;
}

void http_body_free(struct http_body *body)
{
    free(body->memory.data);
    free(body->gathered.data);
    body->memory.data = body->gathered.data = NULL;
}

size_t http_body_memory(const struct encoder_ops *encoder,
                        const struct compression_ops *compression, size_t block_size, size_t count)
{
    const struct compression_ops *used = used_compression(encoder, compression);
    const struct sizes sizes = sizes_of(encoder->request, used, block_size);
    return sizeof(struct http_body_maker) + sizes.plain + sizes.scratch +
           count * (sizes.body + block_size) + (used == NULL ? 0 : used->memory());
}

/* --- making a body ---------------------------------------------------------------------------- */

/* Points the body into the block: at the format's head and the records. */
static void point_at(struct http_body *body, const struct delivery_block *block,
                     const struct http_range *range)
{
    const char *bytes = (const char *)block->bytes;
    const struct delivery_record *first = &block->records[range->first];
    const struct delivery_record *last = first + range->count - 1;
    body->pieces[0] = (struct text){bytes, block->records[0].offset};
    body->pieces[1] =
        (struct text){bytes + first->offset, (size_t)last->offset + last->size - first->offset};
}

static void body_begin(struct output *out)
{
    out->used = 0;
    out->overflow = false;
}

static bool is_mixed(const struct delivery_block *block, const struct http_range *range)
{
    const struct delivery_record *first = &block->records[range->first];
    for (size_t i = 1; i < range->count; i++)
        if (first[i].group != first->group)
            return true;
    return false;
}

/* Copies the records of the range's group. Omits the records of other groups. */
static void gather(struct http_body *body, const struct delivery_block *block,
                   const struct http_range *range)
{
    struct output *out = &body->gathered;
    uint8_t group = block->records[range->first].group;
    body_begin(out);
    for (size_t i = range->first; i < range->first + range->count; i++) {
        const struct delivery_record *record = &block->records[i];
        if (record->group == group)
            output_bytes(out, (const char *)block->bytes + record->offset, record->size);
    }
    body->pieces[1] = (struct text){out->data, out->used};
}

static bool write_plain(struct http_body_maker *maker, const struct http_body *body, size_t shape,
                        struct output *out)
{
    const struct text *records = &body->pieces[1];
    body_begin(out);
    if (maker->request != NULL)
        return maker->request->write(shape, records->data, records->size, maker->scratch, out);
    for (size_t i = 0; i < HTTP_BODY_PIECES; i++)
        output_bytes(out, body->pieces[i].data, body->pieces[i].size);
    return !out->overflow;
}

static enum http_body_result make_of_pieces(struct http_body_maker *maker, struct http_body *body,
                                            size_t shape)
{
    struct output *made = &body->memory;
    if (maker->request == NULL && maker->compression == NULL)
        return HTTP_BODY_MADE;
    body_begin(made);
    if (!write_plain(maker, body, shape, maker->compression == NULL ? made : &maker->plain))
        return HTTP_BODY_FOREIGN;
    if (maker->compression != NULL)
        made->used = maker->compression->ops->compress(
            maker->compression, maker->plain.data, maker->plain.used, made->data, made->capacity);
    if (made->used == 0 && maker->compression != NULL)
        return HTTP_BODY_TOO_LARGE;
    body->pieces[0] = (struct text){made->data, made->used};
    body->pieces[1] = (struct text){NULL, 0};
    return HTTP_BODY_MADE;
}

enum http_body_result http_body_make(struct http_body_maker *maker, struct http_body *body,
                                     const struct delivery_block *block,
                                     const struct http_range *range, size_t shape)
{
    point_at(body, block, range);
    if (is_mixed(block, range))
        gather(body, block, range);
    return make_of_pieces(maker, body, shape);
}

bool http_body_make_empty(struct http_body_maker *maker, struct http_body *body, size_t shape)
{
    for (size_t i = 0; i < HTTP_BODY_PIECES; i++)
        body->pieces[i] = (struct text){"", 0};
    return make_of_pieces(maker, body, shape) == HTTP_BODY_MADE;
}

size_t http_body_size(const struct http_body *body)
{
    return body->pieces[0].size + body->pieces[1].size;
}
