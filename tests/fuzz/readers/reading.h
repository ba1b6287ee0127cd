/*
 * Common code of the readers in this folder: the position in a text, and the names that were read.
 * The readers follow the specifications of the formats and share no code with the encoders.
 */
#ifndef SLUICE_TESTS_FUZZ_READERS_READING_H
#define SLUICE_TESTS_FUZZ_READERS_READING_H

#include <stdbool.h>
#include <stddef.h>

struct reading {
    const char *at;
    const char *end;
};

/* If the next byte is `c`, skips it and returns true. */
bool reading_pass(struct reading *reading, char c);

/* If the word is next, skips it and returns true. */
bool reading_pass_word(struct reading *reading, const char *word);

/* Returns the next byte, or NUL at the end. */
char reading_peek(const struct reading *reading);

/* Skips a decimal integer, which may be negative. Returns false if there is none. */
bool reading_pass_integer(struct reading *reading);

/*
 * Skips a JSON number whose exponent may also have a sign or leading zeros. Returns false if there
 * is none, or if a double cannot represent it.
 */
bool reading_pass_double(struct reading *reading);

/* Forgets all names. */
void reading_names_begin(void);

/* Returns true if the name was not read before. */
bool reading_name_is_new(const char *name, size_t size);

#endif
