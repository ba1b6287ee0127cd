/*
 * protobuf: the unchanged messages, each after its length as a varint: the stream form that
 * protobuf's libraries read with parseDelimitedFrom. A message's properties (source, time) are not
 * written. A message counts as a line.
 */
#include <stdlib.h>

#include "sinks/encoders/delimited.h"
#include "sinks/encoders/encoders.h"

#define LONGEST_MESSAGE 65535u /* the largest in a datagram */

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    (void)encoder;
    (void)listener;
    delimited_put(out, record->data, record->size);
    return (struct encoded){.lines = 1};
}

static size_t whole(const uint8_t *data, size_t size, bool at_start, bool *foreign)
{
    return delimited_whole(data, size, LONGEST_MESSAGE, at_start, foreign);
}

/* --- the encoder -------------------------------------------------------------------------------
 */

static struct encoder *create(const struct encoder_options *options)
{
    (void)options;
    struct encoder *encoder = malloc(sizeof *encoder);
    if (encoder != NULL)
        encoder->ops = &encoder_protobuf;
    return encoder;
}

static void destroy(struct encoder *encoder)
{
    free(encoder);
}

const struct encoder_ops encoder_protobuf = {
    .name = "protobuf",
    .binary = true,
    .unmarked = true,
    .create = create,
    .destroy = destroy,
    .encode = encode,
    .whole = whole,
};
