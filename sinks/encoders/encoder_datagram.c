/*
 * The encoder `datagram` writes the received datagrams, each by itself, for a relay. The first
 * record of a datagram writes it; other records of the datagram have no output. A datagram counts
 * as a line.
 */
#include <stdlib.h>

#include "sinks/encoders/encoders.h"

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    (void)encoder;
    (void)listener;
    if (record->packet == NULL)
        return (struct encoded){0};
    output_bytes(out, record->packet->data, record->packet->size);
    return (struct encoded){.lines = 1};
}

static struct encoder *create(const struct encoder_options *options)
{
    (void)options;
    struct encoder *encoder = malloc(sizeof *encoder);
    if (encoder != NULL)
        encoder->ops = &encoder_datagram;
    return encoder;
}

static void destroy(struct encoder *encoder)
{
    free(encoder);
}

const struct encoder_ops encoder_datagram = {
    .name = "datagram",
    .needs_packets = true,
    .relayed = true,
    .binary = true,
    .create = create,
    .destroy = destroy,
    .encode = encode,
};
