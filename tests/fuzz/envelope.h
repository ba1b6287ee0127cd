/*
 * An input that has several parts: a protobuf message, whose fields a target gives their meaning.
 *
 * So one mutator serves all targets: it knows the wire format, and a part that is protobuf itself
 * is a message in a message for it. Bytes that are no field end the envelope, and what is missing
 * has a default, so every input is one.
 */
#ifndef SLUICE_TESTS_FUZZ_ENVELOPE_H
#define SLUICE_TESTS_FUZZ_ENVELOPE_H

#include <stddef.h>
#include <stdint.h>

#define ENVELOPE_PARTS 64

/* A field. Bytes are copied, each part's into a block of its own size: a sanitizer sees its end. */
struct envelope_part {
    uint32_t number;
    uint64_t value; /* of one without bytes */
    uint8_t *bytes; /* NULL: it has none */
    size_t size;
};

struct envelope {
    struct envelope_part parts[ENVELOPE_PARTS]; /* further ones are left out */
    size_t count;
};

void envelope_read(struct envelope *envelope, const uint8_t *data, size_t size);
void envelope_free(struct envelope *envelope);

/* The first number of the field; `otherwise` where there is none. */
uint64_t envelope_value(const struct envelope *envelope, uint32_t number, uint64_t otherwise);

/* The part with bytes of that number after `index` others like it; NULL: there is none. */
const struct envelope_part *envelope_bytes(const struct envelope *envelope, uint32_t number,
                                           size_t index);

/* The same as a text, to be freed, which ends at its first NUL; NULL: there is none. */
char *envelope_text(const struct envelope *envelope, uint32_t number, size_t index);

#endif
