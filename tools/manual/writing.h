/*
 * What stands in the place of a directive of a template: the same entries as a manual page has
 * them, and as each shell reads them. Written to a stream, whose errors the caller looks at.
 */
#ifndef SLUICE_TOOLS_MANUAL_WRITING_H
#define SLUICE_TOOLS_MANUAL_WRITING_H

#include <stdio.h>

#include "tools/manual/entry.h"

/* --- man(7) ----------------------------------------------------------------------------------- */

/* Text that stays as it is: no character of it means anything to roff. May have several lines. */
void roff_write_text(FILE *out, const char *text, size_t length);

/* Paragraphs, with empty lines between them; one with indented lines keeps its lines. */
void roff_write_paragraphs(FILE *out, const char *text);

/* An entry each: what is put before a name ("--"), and between it and its value ("="). */
void roff_write_entries(FILE *out, const struct entry *entries, size_t count, const char *before,
                        const char *between);

/* --- shells ----------------------------------------------------------------------------------- */

/* "--name" or, where it takes a value, "--name=OFFER:VALUES", a line each: bash takes it apart. */
void bash_write_options(FILE *out, const struct entry *entries, size_t count);

/* A specification of _arguments each. */
void zsh_write_options(FILE *out, const struct entry *entries, size_t count);

/* A call of `complete` each. */
void fish_write_options(FILE *out, const char *program, const struct entry *entries, size_t count);

/* "key=VALUES", a line each: every shell takes that apart. */
void shell_write_keys(FILE *out, const struct entry *entries, size_t count);

#endif
