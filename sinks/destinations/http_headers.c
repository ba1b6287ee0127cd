#include "sinks/destinations/http_headers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

int http_headers_read(const char *path, const struct curl_library *library,
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
