/*
 * Writes text to a stream, and wraps lines between words.
 *
 * Write errors are left in the stream. One thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_PAGE_H
#define SLUICE_COLLECTOR_CONFIG_PAGE_H

#include <stddef.h>
#include <stdio.h>

/* The last column of a line. */
#define PAGE_LAST_COLUMN 79

struct page {
    FILE *to;
    size_t column; /* bytes written to the current line */
};

void page_new_line(struct page *page);

/* Writes blanks up to this column. */
void page_indent(struct page *page, size_t column);

/* Writes the text without wrapping. */
void page_put(struct page *page, const char *text);

/* Writes a word on this line if it fits, otherwise on the next one, beginning at column `from`. */
void page_put_word(struct page *page, size_t from, const char *word, size_t length);

/* The same for each word of a text. */
void page_put_words(struct page *page, size_t from, const char *text);

#endif
