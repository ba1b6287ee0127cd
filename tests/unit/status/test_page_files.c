/* Tests the files of the status page: complete, small, and with the types that browsers need. */
#include <string.h>

#include "collector/status/page_files.h"
#include "tests/support/test.h"

static const struct page_file *find(const char *path)
{
    for (const struct page_file *file = page_files; file->path != NULL; file++)
        if (strcmp(file->path, path) == 0)
            return file;
    fail_msg("%s is not there", path);
    return NULL;
}

TEST(the_page_begins_with_html_and_its_files_stand_below_page)
{
    const struct page_file *page = find("/");
    assert_string_equal(page->type, "text/html; charset=utf-8");
    assert_memory_equal(page->plain, "<!doctype html>", 15);
    assert_string_equal(find("/page/main.js")->type, "text/javascript; charset=utf-8");
    assert_string_equal(find("/page/style.css")->type, "text/css; charset=utf-8");
    for (const struct page_file *file = page_files + 1; file->path != NULL; file++)
        assert_memory_equal(file->path, "/page/", 6);
}

/*
 * The header has the method deflate and the time 0 (RFC 1952, 2.3.1). So each build makes the same
 * bytes.
 */
TEST(compressed_files_name_no_time_and_are_100_KiB_at_most_together)
{
    static const unsigned char begin[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0};
    size_t size = 0;
    for (const struct page_file *file = page_files; file->path != NULL; file++) {
        assert_memory_equal(file->gzip, begin, sizeof begin);
        const unsigned char *end = file->gzip + *file->gzip_size - 4;
        size_t plain = end[0] | (size_t)end[1] << 8 | (size_t)end[2] << 16;
        assert_int_equal(plain, *file->plain_size);
        size += *file->gzip_size;
    }
    assert_in_range(size, 1, 100 * 1024);
}
