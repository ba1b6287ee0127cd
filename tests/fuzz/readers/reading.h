/*
 * The position of a strict reader in a text, and the names that it has read: common code of the
 * readers here. They are based on the formats' own specifications and do not use the encoders.
 */
#ifndef SLUICE_TESTS_FUZZ_READERS_READING_H
#define SLUICE_TESTS_FUZZ_READERS_READING_H

#include <stdbool.h>
#include <stddef.h>

struct reading {
    const char *at;
    const char *end;
};

/* Whether the next byte is this one; then it is passed. */
bool reading_pass(struct reading *reading, char c);

/* Skips the word if it is next. */
bool reading_pass_word(struct reading *reading, const char *word);

/* The next byte, or NUL at the end. */
char reading_peek(const struct reading *reading);

/* Passes a decimal integer that may have a minus. Returns false where there is none. */
bool reading_pass_integer(struct reading *reading);

/*
 * Passes a number as JSON has it, but with a sign or leading zeros allowed in an exponent. Returns
 * false where there is none, or where a double does not hold it.
 */
bool reading_pass_double(struct reading *reading);

/* Starts again without names. */
void reading_names_begin(void);

/* Whether the name is seen for the first time. */
bool reading_name_is_new(const char *name, size_t size);

#endif
