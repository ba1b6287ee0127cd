/*
 * Writes the entries that replace a directive of a template, in the form of a manual page or of a
 * shell's completion. The caller checks the stream for errors.
 */
#ifndef SLUICE_TOOLS_MANUAL_WRITING_H
#define SLUICE_TOOLS_MANUAL_WRITING_H

#include <stdio.h>

#include "tools/manual/entry.h"

/* --- man(7) ----------------------------------------------------------------------------------- */

/* Writes literal text, which may have several lines. */
void roff_write_text(FILE *out, const char *text, size_t length);

/*
 * Writes paragraphs, which are separated by empty lines. A paragraph with indented lines keeps its
 * line breaks.
 */
void roff_write_paragraphs(FILE *out, const char *text);

/*
 * Writes entries. `before` is written before each name ("--"), `between` between name and value
 * ("=").
 */
void roff_write_entries(FILE *out, const struct entry *entries, size_t count, const char *before,
                        const char *between);

/* --- shells ----------------------------------------------------------------------------------- */

/*
 * Writes "--name" for an option, or "--name=OFFER:VALUES" if it has a value, one a line. The
 * completion for bash splits these lines.
 */
void bash_write_options(FILE *out, const struct entry *entries, size_t count);

/* Writes an option specification for zsh's _arguments for each entry. */
void zsh_write_options(FILE *out, const struct entry *entries, size_t count);

/* Writes a call of fish's `complete` for each entry. */
void fish_write_options(FILE *out, const char *program, const struct entry *entries, size_t count);

/* Writes "key=VALUES", one a line. The completion of each shell splits these lines. */
void shell_write_keys(FILE *out, const struct entry *entries, size_t count);

#endif
