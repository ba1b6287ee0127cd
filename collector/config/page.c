#include "collector/config/page.h"

#include <string.h>

void page_new_line(struct page *page)
{
    fputc('\n', page->to);
    page->column = 0;
}

void page_indent(struct page *page, size_t column)
{
    for (; page->column < column; page->column++)
        fputc(' ', page->to);
}

void page_put(struct page *page, const char *text)
{
    fputs(text, page->to);
    page->column += strlen(text);
}

void page_put_word(struct page *page, size_t from, const char *word, size_t length)
{
    if (page->column >= from && page->column + 1 + length > PAGE_LAST_COLUMN)
        page_new_line(page);
    if (page->column < from)
        page_indent(page, from);
    else
        page_put(page, " ");
    fwrite(word, 1, length, page->to);
    page->column += length;
}

void page_put_words(struct page *page, size_t from, const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        page_put_word(page, from, text, length);
        text += length;
        text += strspn(text, " ");
    }
}
