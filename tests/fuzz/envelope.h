/*
 * An input with several parts: a protobuf message whose fields have a meaning for the target. So
 * one mutator serves all targets: it understands the wire format, and mutates a part that is
 * protobuf itself as a nested message. Every input is an envelope: bytes that are not a field end
 * it, and missing fields have defaults.
 */
#ifndef SLUICE_TESTS_FUZZ_ENVELOPE_H
#define SLUICE_TESTS_FUZZ_ENVELOPE_H

#include <stddef.h>
#include <stdint.h>

#define ENVELOPE_PARTS 64

/*
 * A field. Its bytes are copied to a block of exactly their size, so that a sanitizer detects reads
 * beyond the end.
 */
struct envelope_part {
    uint32_t number;
    uint64_t value; /* if the field has no bytes */
    uint8_t *bytes; /* NULL if the field is a number */
    size_t size;
};

struct envelope {
    struct envelope_part parts[ENVELOPE_PARTS]; /* further fields are ignored */
    size_t count;
};

void envelope_read(struct envelope *envelope, const uint8_t *data, size_t size);
void envelope_free(struct envelope *envelope);

/* Returns the first number in this field, or `otherwise` if there is none. */
uint64_t envelope_value(const struct envelope *envelope, uint32_t number, uint64_t otherwise);

/*
 * Returns the bytes of field `number`, after skipping `index` such fields, or NULL if there are
 * none.
 */
const struct envelope_part *envelope_bytes(const struct envelope *envelope, uint32_t number,
                                           size_t index);

/* The same as envelope_bytes, but a text that ends at the first NUL. The caller frees it. */
char *envelope_text(const struct envelope *envelope, uint32_t number, size_t index);

#endif
