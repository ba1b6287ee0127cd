/*
 * Writes text to a stream and breaks lines between words.
 *
 * Does not report write errors: they stay in the stream's error state. One thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_PAGE_H
#define SLUICE_COLLECTOR_CONFIG_PAGE_H

#include <stddef.h>
#include <stdio.h>

/* The last column of a line. */
#define PAGE_LAST_COLUMN 79

struct page {
    FILE *to;
    size_t column; /* number of bytes written to the current line */
};

void page_new_line(struct page *page);

/* Writes blanks up to the column `column`. */
void page_indent(struct page *page, size_t column);

/* Writes the text without wrapping. */
void page_put(struct page *page, const char *text);

/* Writes a word on this line if it fits, otherwise on the next line, beginning at column `from`. */
void page_put_word(struct page *page, size_t from, const char *word, size_t length);

/* Writes each word of a text as page_put_word does. */
void page_put_words(struct page *page, size_t from, const char *text);

#endif
