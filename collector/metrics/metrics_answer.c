#include "collector/metrics/metrics_answer.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"

/*
 * Headers of every answer that tell a browser to load nothing from other hosts, not to show the
 * page inside another one, and not to guess types.
 */
static const struct {
    const char *name, *value;
} safety[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
};

enum MHD_Result metrics_answer_send(const struct http_library *http,
                                    struct MHD_Connection *connection,
                                    const struct metrics_answer *answer)
{
    if (answer->response == NULL)
        return MHD_NO; /* the connection is closed */
    http->add_response_header(answer->response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
    http->add_response_header(answer->response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    for (size_t i = 0; i < sizeof safety / sizeof *safety; i++)
        http->add_response_header(answer->response, safety[i].name, safety[i].value);
    /*
     * If the connection stayed open, a client could keep its slot between requests, or with an
     * incomplete second request.
     */
    http->add_response_header(answer->response, MHD_HTTP_HEADER_CONNECTION, "close");
    if (answer->encoding != NULL)
        http->add_response_header(answer->response, MHD_HTTP_HEADER_CONTENT_ENCODING,
                                  answer->encoding);
    if (answer->header != NULL)
        http->add_response_header(answer->response, answer->header, answer->value);
    enum MHD_Result result = http->queue_response(connection, answer->status, answer->response);
    http->destroy_response(answer->response);
    return result;
}

enum MHD_Result metrics_answer_text(const struct http_library *http,
                                    struct MHD_Connection *connection, unsigned status,
                                    const char *text, const char *header, const char *value)
{
    char *body = (char *)(uintptr_t)text; /* the library does not write to it */
    const struct metrics_answer answer = {
        .status = status,
        .type = "text/plain; charset=utf-8",
        .header = header,
        .value = value,
        .response = http->create_response_from_buffer(strlen(text), body, MHD_RESPMEM_PERSISTENT)};
    return metrics_answer_send(http, connection, &answer);
}

enum MHD_Result metrics_answer_no_memory(const struct http_library *http,
                                         struct MHD_Connection *connection)
{
    return metrics_answer_text(http, connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                               "Too many unread pages, or memory is short; try again.\n",
                               MHD_HTTP_HEADER_RETRY_AFTER, "1");
}

struct page {
    size_t *unsent; /* count of unsent pages, including this one */
    char *text;
    size_t size; /* number of bytes in `text` */
};

/* The size of the blocks in which the library reads a page. */
#define PAGE_BLOCK ((size_t)16 * 1024)

static ssize_t read_page(void *argument, uint64_t at, char *out, size_t most)
{
    const struct page *page = argument;
    if (at >= page->size)
        return MHD_CONTENT_READER_END_OF_STREAM;
    size_t left = page->size - (size_t)at;
    size_t size = left < most ? left : most;
    memcpy(out, page->text + at, size);
    return (ssize_t)size;
}

static void free_page(void *argument)
{
    struct page *page = argument;
    RULE(*page->unsent != 0, "a page is counted as unsent until it is freed");
    (*page->unsent)--;
    free(page->text);
    free(page);
}

enum MHD_Result metrics_answer_page(const struct http_library *http,
                                    struct MHD_Connection *connection,
                                    struct metrics_answer *answer, const struct output *text,
                                    size_t *unsent)
{
    struct page *page = malloc(sizeof *page);
    if (page != NULL) {
        *page = (struct page){unsent, text->data, text->used};
        answer->response =
            http->create_response_from_callback(text->used, PAGE_BLOCK, read_page, page, free_page);
    }
    if (answer->response == NULL) {
        free(page);
        free(text->data);
        return metrics_answer_no_memory(http, connection);
    }
    (*unsent)++;
    return metrics_answer_send(http, connection, answer);
}
