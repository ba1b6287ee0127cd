/*
 * Replaces a directive of a template by entries, in the form of a manual page or of a shell's
 * completion. The caller checks the stream for errors.
 */
#ifndef SLUICE_TOOLS_MANUAL_WRITING_H
#define SLUICE_TOOLS_MANUAL_WRITING_H

#include <stdio.h>

#include "tools/manual/entry.h"

/* --- man(7) ----------------------------------------------------------------------------------- */

/* Writes literal text, which may have several lines. */
void roff_write_text(FILE *out, const char *text, size_t length);

/* Writes paragraphs, separated by empty lines; a paragraph with indented lines keeps its lines. */
void roff_write_paragraphs(FILE *out, const char *text);

/* Writes entries with a prefix before each name ("--") and a text between name and value ("="). */
void roff_write_entries(FILE *out, const struct entry *entries, size_t count, const char *before,
                        const char *between);

/* --- shells ----------------------------------------------------------------------------------- */

/*
 * Writes "--name" or, for an option with a value, "--name=OFFER:VALUES", one a line, for bash to
 * split.
 */
void bash_write_options(FILE *out, const struct entry *entries, size_t count);

/* Writes a specification of _arguments for each entry. */
void zsh_write_options(FILE *out, const struct entry *entries, size_t count);

/* Writes a call of `complete` for each entry. */
void fish_write_options(FILE *out, const char *program, const struct entry *entries, size_t count);

/* Writes "key=VALUES", one a line; every shell splits it. */
void shell_write_keys(FILE *out, const struct entry *entries, size_t count);

#endif
