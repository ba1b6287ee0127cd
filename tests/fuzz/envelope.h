/*
 * An input that has several parts: a protobuf message, whose fields a target gives their meaning.
 *
 * One mutator therefore serves all targets: it knows the wire format, and mutates a part that is
 * itself protobuf as a nested message. Every input is an envelope: bytes that are not a field end
 * it, and missing fields have defaults.
 */
#ifndef SLUICE_TESTS_FUZZ_ENVELOPE_H
#define SLUICE_TESTS_FUZZ_ENVELOPE_H

#include <stddef.h>
#include <stdint.h>

#define ENVELOPE_PARTS 64

/*
 * A field. Bytes are copied into a block of exactly their size, so that a sanitizer sees its end.
 */
struct envelope_part {
    uint32_t number;
    uint64_t value; /* of a field without bytes */
    uint8_t *bytes; /* NULL: the field has a number */
    size_t size;
};

struct envelope {
    struct envelope_part parts[ENVELOPE_PARTS]; /* further ones are left out */
    size_t count;
};

void envelope_read(struct envelope *envelope, const uint8_t *data, size_t size);
void envelope_free(struct envelope *envelope);

/* The first number with this field; `otherwise` if there is none. */
uint64_t envelope_value(const struct envelope *envelope, uint32_t number, uint64_t otherwise);

/*
 * The bytes of the field with that number after skipping `index` such fields; NULL: there is none.
 */
const struct envelope_part *envelope_bytes(const struct envelope *envelope, uint32_t number,
                                           size_t index);

/*
 * The same as a text, which ends at its first NUL and which the caller frees; NULL: there is none.
 */
char *envelope_text(const struct envelope *envelope, uint32_t number, size_t index);

#endif
