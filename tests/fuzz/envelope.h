/*
 * Reads an envelope: the input of a fuzz target, which is a protobuf message whose fields are the
 * input's parts. The meaning of a field depends on the target. So one mutator (mutate.c), which
 * understands protobuf's wire format, serves all targets. Any bytes are an envelope: bytes that are
 * not a field end it, and missing fields have defaults.
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
 * Returns the bytes of the field `number`, or NULL. If the field is repeated, `index` selects one,
 * from 0.
 */
const struct envelope_part *envelope_bytes(const struct envelope *envelope, uint32_t number,
                                           size_t index);

/*
 * The same as envelope_bytes, but returns the bytes as a text, which ends at the first NUL. The
 * caller frees it.
 */
char *envelope_text(const struct envelope *envelope, uint32_t number, size_t index);

#endif
