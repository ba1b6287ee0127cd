/*
 * The encoder `protobuf` writes the messages unchanged, each after its length as a varint, which
 * protobuf's libraries read with parseDelimitedFrom. With schema_id= each message follows the head
 * of a schema registry. The properties of a message (source, time) are not written. A message
 * counts as a line.
 */
#include <stdlib.h>

#include "sinks/encoders/delimited.h"
#include "sinks/encoders/encoders.h"

#define LONGEST_MESSAGE 65535u /* the largest message in a datagram */

struct protobuf {
    struct encoder encoder;
    struct message_head head;
};

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    const struct message_head *head = &((struct protobuf *)encoder)->head;
    (void)listener;
    output_bytes(out, head->bytes, head->size);
    if (head->size == 0)
        delimited_put(out, record->data, record->size);
    else
        output_bytes(out, record->data, record->size);
    return (struct encoded){.lines = 1};
}

static size_t whole(const uint8_t *data, size_t size, bool at_start, bool *foreign)
{
    return delimited_whole(data, size, LONGEST_MESSAGE, at_start, foreign);
}

/* --- the encoder ------------------------------------------------------------------------------ */

static struct encoder *create(const struct encoder_options *options)
{
    struct protobuf *made = malloc(sizeof *made);
    if (made == NULL)
        return NULL;
    *made = (struct protobuf){.encoder = {.ops = &encoder_protobuf}, .head = options->head};
    return &made->encoder;
}

static void destroy(struct encoder *encoder)
{
    free(encoder);
}

const struct encoder_ops encoder_protobuf = {
    .name = "protobuf",
    .binary = true,
    .has_head = true,
    .unmarked = true,
    .create = create,
    .destroy = destroy,
    .encode = encode,
    .whole = whole,
};
