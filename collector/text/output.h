/*
 * A buffer of fixed size that text is appended to. The owner supplies the memory; no function
 * allocates. An append that does not fit sets `overflow`, and it and all later ones append nothing.
 * So writers do not check each append: their caller checks `overflow` at the end (and may then
 * reduce `used` to where the record began). One thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_OUTPUT_H
#define SLUICE_COLLECTOR_TEXT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct output {
    char *data;
    size_t used;     /* bytes */
    size_t capacity; /* bytes */
    bool overflow;
};

/*
 * Reserves `size` bytes, which count as used, for the caller to fill. Returns NULL if they do not
 * fit.
 */
static inline char *output_reserve(struct output *out, size_t size)
{
    if (out->overflow || size > out->capacity - out->used) {
        out->overflow = true;
        return NULL;
    }
    char *at = out->data + out->used;
    out->used += size;
    return at;
}

static inline void output_bytes(struct output *out, const void *bytes, size_t size)
{
    char *at = output_reserve(out, size);
    if (at != NULL && size != 0)
        memcpy(at, bytes, size);
}

/* Appends a copy of `size` bytes of the output itself, from its byte `at` on. */
static inline void output_repeat(struct output *out, size_t at, size_t size)
{
    char *to = output_reserve(out, size);
    if (to != NULL)
        memcpy(to, out->data + at, size);
}

static inline void output_char(struct output *out, char c)
{
    char *at = output_reserve(out, 1);
    if (at != NULL)
        *at = c;
}

/* Appends a string literal. */
#define output_literal(out, literal) output_bytes((out), "" literal, sizeof(literal) - 1)

#endif
