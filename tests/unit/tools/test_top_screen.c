#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"
#include "tools/top/screen.h"

static struct page page_of(size_t columns)
{
    struct page page = {.columns = columns};
    assert_true(page_add_line(&page, PAGE_PLAIN, "sluice-top"));
    assert_true(page_add_line(&page, PAGE_TROUBLE, "losing"));
    assert_true(page_add_line(&page, PAGE_HEADING, "SINKS"));
    assert_true(page_add_line(&page, PAGE_SELECTED, "LISTENERS"));
    assert_true(page_add_line(&page, PAGE_PLAIN, "0123456789"));
    return page;
}

static void assert_screen(const struct page *page, size_t rows, size_t columns,
                          const char *expected)
{
    size_t size;
    char *text = screen_text(page, rows, columns, &size);
    assert_non_null(text);
    if (size != strlen(expected) || memcmp(text, expected, size) != 0)
        fail_msg("it is %.*s", (int)size, text);
    free(text);
}

TEST(each_line_has_its_place_and_its_manner_and_headings_are_as_wide_as_the_screen)
{
    struct page page = page_of(12);
    assert_screen(&page, 6, 12,
                  "\x1b[m"
                  "\x1b[1;1Hsluice-top\x1b[K"
                  "\x1b[2;1H\x1b[1mlosing\x1b[m\x1b[K"
                  "\x1b[3;1H\x1b[7mSINKS       \x1b[m"
                  "\x1b[4;1H\x1b[1;7mLISTENERS   \x1b[m"
                  "\x1b[5;1H0123456789\x1b[K"
                  "\x1b[6;1H\x1b[J");
    page_clear(&page);
}

TEST(what_does_not_fit_a_smaller_screen_is_cut)
{
    struct page page = page_of(12);
    assert_screen(&page, 2, 8,
                  "\x1b[m"
                  "\x1b[1;1Hsluice-t"
                  "\x1b[2;1H\x1b[1mlosing\x1b[m\x1b[K");
    assert_screen(&page, 1, 1, "\x1b[m\x1b[1;1Hs");
    page_clear(&page);
}

TEST(an_empty_page_erases_the_screen)
{
    struct page page = {.columns = 80};
    assert_screen(&page, 24, 80, "\x1b[m\x1b[1;1H\x1b[J");
}
