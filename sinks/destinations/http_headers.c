#include "sinks/destinations/http_headers.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/base/secure_clear.h"
#include "collector/contract/compression.h"
#include "collector/platform/input_file.h"
#include "collector/text/base64.h"
#include "collector/text/output.h"
#include "sinks/destinations/http_answer.h"

/*
 * Returns true for a name of letters, digits, '-' and '_', a colon, and printable text (RFC 9110,
 * section 5).
 */
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
        error_set(error, EXIT_CODE_CONFIG, "header_file=%s: line %u is not \"NAME: VALUE\"", path,
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

/* Reads the file of the setting `key`. The caller clears `text`. */
static int headers_read_text(const char *key, const char *path, char text[HTTP_HEADERS_SIZE + 1],
                             struct error *error)
{
    struct error why;
    size_t size;
    if (input_load(path, text, HTTP_HEADERS_SIZE + 1, &size, &why) != 0) {
        error_set(error, EXIT_CODE_CONFIG, "%s=%s", key, why.text);
        return -1;
    }
    if (size > HTTP_HEADERS_SIZE || memchr(text, '\0', size) != NULL) {
        error_set(error, EXIT_CODE_CONFIG, "%s=%s: %s", key, path,
                  size > HTTP_HEADERS_SIZE ? "it is longer than 16 KiB" : "it is not a text");
        return -1;
    }
    text[size] = '\0';
    return 0;
}

/* Reads the first line of the file, which must be printable. The caller clears `text`. */
static int headers_read_line(const char *key, const char *path, char text[HTTP_HEADERS_SIZE + 1],
                             struct error *error)
{
    if (headers_read_text(key, path, text, error) != 0)
        return -1;
    text[strcspn(text, "\r\n")] = '\0';
    bool printable = text[0] != '\0';
    for (const char *at = text; *at != '\0'; at++)
        printable = printable && (unsigned char)*at >= ' ' && *at != 0x7f;
    if (!printable)
        error_set(error, EXIT_CODE_CONFIG, "%s=%s: its first line is %s", key, path,
                  text[0] == '\0' ? "empty" : "not a text");
    return printable ? 0 : -1;
}

static bool headers_add(const struct curl_library *library, struct curl_slist **headers,
                        const char *line)
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
    return headers_add(library, headers, line);
}

static bool add_shape(const struct curl_library *library, struct curl_slist **headers,
                      const struct request_shape *shape)
{
    return add_pair(library, headers, "Content-Type", shape->content_type) &&
           (shape->content_encoding == NULL ||
            add_pair(library, headers, "Content-Encoding", shape->content_encoding)) &&
           (shape->header == NULL || headers_add(library, headers, shape->header));
}

/* Room for the longest header: a line of a file in base64, which is a third longer. */
#define LINE_SIZE (HTTP_HEADERS_SIZE / 3 * 4 + 64)

/* Memory for secrets; it is cleared before it is freed. */
struct secrets {
    char text[HTTP_HEADERS_SIZE + 1];
    char line[LINE_SIZE];
};

static bool add_authorization(const struct curl_library *library, struct curl_slist **headers,
                              struct secrets *secrets, const char *scheme, bool encoded)
{
    struct output line = {.data = secrets->line, .capacity = sizeof secrets->line - 1};
    size_t size = strlen(secrets->text);
    output_literal(&line, "Authorization: ");
    output_bytes(&line, scheme, strlen(scheme));
    output_char(&line, ' ');
    if (encoded)
        base64_put(&line, secrets->text, size);
    else
        output_bytes(&line, secrets->text, size);
    secrets->line[line.used] = '\0';
    return headers_add(library, headers, secrets->line);
}

static int add_secrets(const struct curl_library *library, const struct http_options *options,
                       struct secrets *secrets, struct curl_slist **headers, struct error *error)
{
    if (options->header_file != NULL &&
        (headers_read_text("header_file", options->header_file, secrets->text, error) != 0 ||
         add_lines(options->header_file, secrets->text, library, headers, error) != 0))
        return -1;
    const char *key = options->token_file != NULL ? "token_file" : "password_file";
    const char *path = options->token_file != NULL ? options->token_file : options->password_file;
    if (path == NULL)
        return 0;
    if (headers_read_line(key, path, secrets->text, error) != 0)
        return -1;
    bool basic = options->token_file == NULL;
    if (basic && strchr(secrets->text, ':') == NULL) {
        error_set(error, EXIT_CODE_CONFIG, "%s=%s: its first line is not USER:PASSWORD", key, path);
        return -1;
    }
    if (!add_authorization(library, headers, secrets, basic ? "Basic" : "Bearer", basic))
        return error_no_memory(error);
    return 0;
}

/* An empty "Expect:" prevents libcurl from waiting a second for "100 Continue". */
static int make_list(const struct curl_library *library, const struct http_options *options,
                     const struct request_shape *shape, struct curl_slist **headers,
                     struct error *error)
{
    struct secrets *secrets = calloc(1, sizeof *secrets);
    if (secrets == NULL || !add_shape(library, headers, shape) ||
        !headers_add(library, headers, "Expect:") ||
        !headers_add(library, headers, "User-Agent: sluice")) {
        free(secrets);
        return error_no_memory(error);
    }
    int result = add_secrets(library, options, secrets, headers, error);
    secure_clear(secrets, sizeof *secrets);
    free(secrets);
    return result;
}

int http_headers_make(const struct curl_library *library, const struct encoder_ops *encoder,
                      const struct compression_ops *compression, const struct http_options *options,
                      struct http_headers **out, struct error *error)
{
    const struct request_shape lines = {.content_type = encoder->media_type == NULL
                                                            ? "application/octet-stream"
                                                            : encoder->media_type};
    const struct encoder_request *request = encoder->request;
    struct http_headers *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    made->library = library;
    for (size_t i = 0; i < (request == NULL ? 1 : request->shape_count); i++) {
        struct request_shape shape = request == NULL ? lines : request->shapes[i];
        if (compression != NULL && shape.content_encoding == NULL)
            shape.content_encoding = compression->name;
        if (make_list(library, options, &shape, &made->lists[i], error) != 0) {
            http_headers_free(made);
            return -1;
        }
    }
    *out = made;
    return 0;
}

/* Returns true if the header's name contains the word, which is in lower case. Ignores case. */
static bool has_in_name(const char *header, const char *word)
{
    const size_t size = strlen(word);
    const size_t length = strcspn(header, ":;");
    for (size_t at = 0; at + size <= length; at++) {
        size_t same = 0;
        while (same < size && (header[at + same] | 0x20) == word[same])
            same++;
        if (same == size)
            return true;
    }
    return false;
}

bool http_headers_have_secret(const struct http_headers *headers)
{
    static const char *const names[] = {"authorization", "token",  "key",
                                        "cookie",        "secret", "password"};
    for (const struct curl_slist *at = headers->lists[0]; at != NULL; at = at->next)
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            if (has_in_name(at->data, names[i]))
                return true;
    return false;
}

void http_headers_free(struct http_headers *headers)
{
    if (headers == NULL)
        return;
    RULE(headers->users == 0, "no request uses headers that are freed");
    for (size_t i = 0; i < HTTP_SHAPES_MOST; i++) {
        for (struct curl_slist *line = headers->lists[i]; line != NULL; line = line->next)
            secure_clear(line->data, strlen(line->data));
        headers->library->slist_free_all(headers->lists[i]);
    }
    free(headers);
}
