/*
 * Running text on its way to a stream: words are put on a line until it is full.
 *
 * A page owns nothing; whoever wants to know whether writing failed looks at the stream. One
 * thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_PAGE_H
#define SLUICE_COLLECTOR_CONFIG_PAGE_H

#include <stddef.h>
#include <stdio.h>

/* The last column that a word may reach. */
#define PAGE_LAST_COLUMN 79

struct page {
    FILE *to;
    size_t column; /* bytes of this line so far */
};

void page_new_line(struct page *page);

/* Blanks up to this column. */
void page_indent(struct page *page, size_t column);

/* The text as it is, wherever the line ends. */
void page_put(struct page *page, const char *text);

/* Puts a word on this line where it fits, otherwise on the next one, from the column `from` on. */
void page_put_word(struct page *page, size_t from, const char *word, size_t length);

/* The same of each word of a text. */
void page_put_words(struct page *page, size_t from, const char *text);

#endif
