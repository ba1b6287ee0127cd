#include "sinks/destinations/http_headers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinks/destinations/http_answer.h"

/* A name of letters, digits and hyphens, a colon, and printable text (RFC 9110, section 5). */
static bool is_header(const char *line)
{
    static const char names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    size_t name = strspn(line, names);
    if (name == 0 || line[name] != ':')
        return false;
    for (const char *at = line + name; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' && *at != '\t')
            return false;
    return true;
}

static int add_line(const char *path, unsigned number, const char *line,
                    const struct curl_library *library, struct curl_slist **headers,
                    struct error *error)
{
    if (*line == '\0')
        return 0;
    if (!is_header(line)) {
        error_set(error, EXIT_CODE_CONFIG, "header_file=%s: line %u is no \"NAME: VALUE\"", path,
                  number);
        return -1;
    }
    struct curl_slist *longer = library->slist_append(*headers, line);
    if (longer == NULL)
        return error_no_memory(error);
    *headers = longer;
    return 0;
}

static int add_lines(const char *path, char *text, const struct curl_library *library,
                     struct curl_slist **headers, struct error *error)
{
    for (unsigned number = 1;; number++) {
        size_t length = strcspn(text, "\n");
        bool last = text[length] == '\0';
        text[length] = '\0';
        if (length != 0 && text[length - 1] == '\r')
            text[length - 1] = '\0';
        if (add_line(path, number, text, library, headers, error) != 0)
            return -1;
        if (last)
            return 0;
        text += length + 1;
    }
}

/* The headers in that file. */
static int read_file(const char *path, const struct curl_library *library,
                     struct curl_slist **headers, struct error *error)
{
    char text[HTTP_HEADERS_SIZE + 1];
    FILE *file = fopen(path, "rbe");
    size_t size = file == NULL ? 0 : fread(text, 1, sizeof text, file);
    bool unread = file == NULL || ferror(file);
    int why = errno;
    if (file != NULL)
        fclose(file);
    if (unread) {
        error_set(error, EXIT_CODE_CONFIG, "header_file=%s: %s", path, strerror(why));
        return -1;
    }
    if (size > HTTP_HEADERS_SIZE || memchr(text, '\0', size) != NULL) {
        error_set(error, EXIT_CODE_CONFIG, "header_file=%s: %s", path,
                  size > HTTP_HEADERS_SIZE ? "it is longer than 16 KiB" : "it is no text");
        return -1;
    }
    text[size] = '\0';
    int result = add_lines(path, text, library, headers, error);
    memset(text, 0, sizeof text);
    return result;
}

/* Returns false where memory is short. */
static bool add(const struct curl_library *library, struct curl_slist **headers, const char *line)
{
    struct curl_slist *longer = library->slist_append(*headers, line);
    if (longer != NULL)
        *headers = longer;
    return longer != NULL;
}

static bool add_pair(const struct curl_library *library, struct curl_slist **headers,
                     const char *name, const char *value)
{
    char line[128];
    snprintf(line, sizeof line, "%s: %s", name, value);
    return add(library, headers, line);
}

/* Those that say what a body is. */
static bool add_shape(const struct curl_library *library, struct curl_slist **headers,
                      const struct request_shape *shape)
{
    return add_pair(library, headers, "Content-Type", shape->content_type) &&
           (shape->content_encoding == NULL ||
            add_pair(library, headers, "Content-Encoding", shape->content_encoding)) &&
           (shape->header == NULL || add(library, headers, shape->header));
}

/* Without the question whether a body is welcome, for which libcurl would wait a second. */
static int make_list(const struct curl_library *library, const struct http_options *options,
                     const struct request_shape *shape, struct curl_slist **headers,
                     struct error *error)
{
    if (!add_shape(library, headers, shape) || !add(library, headers, "Expect:") ||
        !add(library, headers, "User-Agent: sluice"))
        return error_no_memory(error);
    return options->header_file == NULL ? 0
                                        : read_file(options->header_file, library, headers, error);
}

int http_headers_make(const struct curl_library *library, const struct encoder_ops *encoder,
                      const struct http_options *options, struct http_headers **out,
                      struct error *error)
{
    const struct request_shape lines = {.content_type = http_content_type(encoder->name)};
    const struct encoder_request *request = encoder->request;
    struct http_headers *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    made->library = library;
    for (size_t i = 0; i < (request == NULL ? 1 : request->shape_count); i++)
        if (make_list(library, options, request == NULL ? &lines : &request->shapes[i],
                      &made->lists[i], error) != 0) {
            http_headers_free(made);
            return -1;
        }
    *out = made;
    return 0;
}

void http_headers_free(struct http_headers *headers)
{
    if (headers == NULL)
        return;
    for (size_t i = 0; i < HTTP_SHAPES_MOST; i++)
        headers->library->slist_free_all(headers->lists[i]);
    free(headers);
}
