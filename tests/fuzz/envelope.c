#include "tests/fuzz/envelope.h"

#include <stdlib.h>
#include <string.h>

/*
 * Reads a varint. Shares no code with the program under test. Returns NULL at the end of the data.
 */
static const uint8_t *read_number(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; at != end && shift < 64; shift += 7) {
        *value |= (uint64_t)(*at & 0x7f) << shift;
        if ((*at++ & 0x80) == 0)
            return at;
    }
    return NULL;
}

static const uint8_t *read_part(const uint8_t *at, const uint8_t *end, struct envelope_part *part)
{
    uint64_t tag, size = 0;
    *part = (struct envelope_part){0};
    if ((at = read_number(at, end, &tag)) == NULL)
        return NULL;
    part->number = (uint32_t)(tag >> 3);
    if ((tag & 7) == 0)
        return read_number(at, end, &part->value);
    if ((tag & 7) != 2 || (at = read_number(at, end, &size)) == NULL)
        return NULL;
    if (size > (size_t)(end - at))
        size = (uint64_t)(end - at);
    part->size = (size_t)size;
    part->bytes = malloc(part->size == 0 ? 1 : part->size);
    if (part->bytes == NULL)
        abort();
    if (part->size != 0)
        memcpy(part->bytes, at, part->size);
    return at + part->size;
}

void envelope_read(struct envelope *envelope, const uint8_t *data, size_t size)
{
    const uint8_t *at = data;
    const uint8_t *end = data + size;
    envelope->count = 0;
    if (size == 0)
        return;
    while (at != end && envelope->count < ENVELOPE_PARTS &&
           (at = read_part(at, end, &envelope->parts[envelope->count])) != NULL)
        envelope->count++;
}

void envelope_free(struct envelope *envelope)
{
    for (size_t i = 0; i < envelope->count; i++)
        free(envelope->parts[i].bytes);
}

uint64_t envelope_value(const struct envelope *envelope, uint32_t number, uint64_t otherwise)
{
    for (size_t i = 0; i < envelope->count; i++)
        if (envelope->parts[i].number == number && envelope->parts[i].bytes == NULL)
            return envelope->parts[i].value;
    return otherwise;
}

const struct envelope_part *envelope_bytes(const struct envelope *envelope, uint32_t number,
                                           size_t index)
{
    for (size_t i = 0; i < envelope->count; i++)
        if (envelope->parts[i].number == number && envelope->parts[i].bytes != NULL && index-- == 0)
            return &envelope->parts[i];
    return NULL;
}

char *envelope_text(const struct envelope *envelope, uint32_t number, size_t index)
{
    const struct envelope_part *part = envelope_bytes(envelope, number, index);
    if (part == NULL)
        return NULL;
    char *text = malloc(part->size + 1);
    if (text == NULL)
        abort();
    memcpy(text, part->bytes, part->size);
    text[part->size] = '\0';
    return text;
}
