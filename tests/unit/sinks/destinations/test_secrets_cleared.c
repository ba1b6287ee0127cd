/* Tests that memory with a secret from a file is cleared before it is freed. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "collector/contract/encoder.h"
#include "sinks/destinations/http_headers.h"
#include "sinks/destinations/property_file.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define SECRET "0123456789-secret-0123456789"

/* How many freed blocks had the secret, and how many blocks were freed. */
static size_t seen, freed;

void __real_free(void *memory);
void __wrap_free(void *memory);

void __wrap_free(void *memory)
{
    if (memory != NULL) {
        freed++;
        seen += memmem(memory, malloc_usable_size(memory), SECRET, strlen(SECRET)) != NULL;
    }
    __real_free(memory);
}

static void expect_none(void)
{
    assert_true(freed != 0);
    assert_int_equal(seen, 0);
    freed = 0;
}

/* --- properties ------------------------------------------------------------------------------- */

static int take(void *context, const char *name, const char *value, struct error *error)
{
    (void)name;
    (void)error;
    *(bool *)context = strcmp(value, SECRET) == 0;
    return 0;
}

TEST_WITH(a_file_of_properties_is_cleared, scratch_make, scratch_remove)
{
    (void)state;
    struct error error;
    bool taken = false;
    scratch_put_text("properties", "sasl.username=sluice\nsasl.password=" SECRET "\n");
    freed = 0;
    assert_int_equal(property_file_read(scratch_path("properties"), take, &taken, &error), 0);
    assert_true(taken);
    expect_none();
    scratch_put_text("properties", "sasl.password=" SECRET "\nnonsense\n");
    assert_int_equal(property_file_read(scratch_path("properties"), take, &taken, &error), -1);
    expect_none();
}

/* --- lists of headers like libcurl's ---------------------------------------------------------- */

static struct curl_slist *append(struct curl_slist *list, const char *line)
{
    struct curl_slist *one = calloc(1, sizeof *one);
    one->data = strdup(line);
    if (list == NULL)
        return one;
    struct curl_slist *last = list;
    while (last->next != NULL)
        last = last->next;
    last->next = one;
    return list;
}

static void free_all(struct curl_slist *list)
{
    while (list != NULL) {
        struct curl_slist *next = list->next;
        free(list->data);
        free(list);
        list = next;
    }
}

TEST_WITH(headers_are_cleared_with_the_file_that_they_come_from, scratch_make, scratch_remove)
{
    (void)state;
    static const struct encoder_ops encoder = {.name = "json"};
    static const struct curl_library library = {.slist_append = append, .slist_free_all = free_all};
    struct http_headers *headers;
    struct error error;
    scratch_put_text("headers", "X-Token: " SECRET "\n");
    struct http_options options = {.header_file = (char *)(uintptr_t)scratch_path("headers")};
    freed = 0;
    assert_int_equal(http_headers_make(&library, &encoder, NULL, &options, &headers, &error), 0);
    assert_non_null(strstr(headers->lists[0]->next->next->next->data, SECRET));
    http_headers_free(headers);
    expect_none();
}
