/*
 * Writes entries in the form of a manual page or of a shell's completion, for the directives of a
 * template. The caller must check the stream for errors.
 */
#ifndef SLUICE_TOOLS_MANUAL_WRITING_H
#define SLUICE_TOOLS_MANUAL_WRITING_H

#include <stdio.h>

#include "tools/manual/entry.h"

/* --- man(7) ----------------------------------------------------------------------------------- */

/* Writes a text of one or more lines in which roff interprets nothing. */
void roff_write_text(FILE *out, const char *text, size_t length);

/*
 * Writes paragraphs, which are separated by empty lines. A paragraph with indented lines keeps its
 * line breaks.
 */
void roff_write_paragraphs(FILE *out, const char *text);

/*
 * Writes the entries. `before` comes before each name ("--"), and `between` comes between a name
 * and its value ("=").
 */
void roff_write_entries(FILE *out, const struct entry *entries, size_t count, const char *before,
                        const char *between);

/* --- shells ----------------------------------------------------------------------------------- */

/*
 * Writes "--name" for an option, or "--name=OFFER:VALUES" if it has a value, one on a line. The
 * bash completion splits these lines.
 */
void bash_write_options(FILE *out, const struct entry *entries, size_t count);

/* Writes a specification for zsh's _arguments for each option. */
void zsh_write_options(FILE *out, const struct entry *entries, size_t count);

/* Writes a call of fish's `complete` for each option. */
void fish_write_options(FILE *out, const char *program, const struct entry *entries, size_t count);

/* Writes "key=VALUES", one on a line. The shells' completions split these lines. */
void shell_write_keys(FILE *out, const struct entry *entries, size_t count);

#endif
