#include "sinks/destinations/http_url.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool may_stand(unsigned char byte)
{
    return byte > ' ' && byte < 0x7f && strchr("\"<>\\^`{|}#", byte) == NULL;
}

static char *append_byte(char *to, unsigned char byte)
{
    if (!may_stand(byte))
        return to + snprintf(to, 4, "%%%02X", (unsigned)byte);
    *to = (char)byte;
    return to + 1;
}

static char *url_append(char *to, const char *text)
{
    for (; *text != '\0'; text++)
        to = append_byte(to, (unsigned char)*text);
    *to = '\0';
    return to;
}

static int url_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    return at == NULL ? -1 : (int)(at - digits);
}

/* Appends a query; "%" and two hexadecimal digits become one byte. */
static char *append_decoded(char *to, const char *text)
{
    for (; *text != '\0'; text++) {
        bool encoded = text[0] == '%' && url_digit(text[1]) >= 0 && url_digit(text[2]) >= 0;
        to = append_byte(to, encoded ? (unsigned char)(16 * url_digit(text[1]) + url_digit(text[2]))
                                     : (unsigned char)*text);
        text += encoded ? 2 : 0;
    }
    *to = '\0';
    return to;
}

static int url_check(const char *scheme, const char *place, struct error *error)
{
    size_t host = strncmp(place, "//", 2) != 0 ? 0 : strcspn(place + 2, "/");
    if (host == 0 || place[2] == ':') {
        error_set(error, EXIT_CODE_CONFIG, "%s: there is no host; write %s://HOST:PORT/PATH",
                  scheme, scheme);
        return -1;
    }
    if (memchr(place + 2, '@', host) == NULL)
        return 0;
    error_set(
        error, EXIT_CODE_CONFIG,
        "%s: a user name is not allowed; put an Authorization header into header_file=", scheme);
    return -1;
}

int http_url_make(const char *scheme, const char *place, const char *query, char **out,
                  struct error *error)
{
    if (url_check(scheme, place, error) != 0)
        return -1;
    size_t query_size = query == NULL ? 0 : strlen(query);
    char *url = malloc(strlen(scheme) + 3 * (strlen(place) + query_size) + 3);
    if (url == NULL)
        return error_no_memory(error);
    char *end = url + sprintf(url, "%s:", scheme);
    end = url_append(end, place);
    if (query_size != 0) {
        *end++ = '?';
        append_decoded(end, query);
    }
    *out = url;
    return 0;
}

static const char *const otlp_paths[HTTP_URLS_MOST] = {"/v1/metrics", "/v1/logs", "/v1/traces"};

static size_t size_without(const char *place, size_t size, const char *end)
{
    size_t less = strlen(end);
    return size >= less && memcmp(place + size - less, end, less) == 0 ? size - less : size;
}

/*
 * Returns the place followed by `path`. An OTLP path at the end of the place is removed first.
 * Returns NULL if out of memory.
 */
static char *place_at(const char *place, const char *path)
{
    size_t size = size_without(place, strlen(place), "/");
    for (size_t i = 0; i < HTTP_URLS_MOST; i++)
        size = size_without(place, size, otlp_paths[i]);
    char *made = malloc(size + strlen(path) + 1);
    if (made != NULL) {
        memcpy(made, place, size);
        strcpy(made + size, path);
    }
    return made;
}

static int url_add(struct http_urls *urls, const char *route, const char *scheme, const char *place,
                   const char *query, struct error *error)
{
    struct http_route *added = &urls->list[urls->count];
    if (http_url_make(scheme, place, query, &added->url, error) != 0)
        return -1;
    added->route = route;
    urls->count++;
    return 0;
}

int http_urls_make(const char *scheme, const char *place, const char *query, bool otlp,
                   struct http_urls *out, struct error *error)
{
    *out = (struct http_urls){0};
    if (url_check(scheme, place, error) != 0)
        return -1;
    if (!otlp)
        return url_add(out, "", scheme, place, query, error);
    for (size_t i = 0; i < HTTP_URLS_MOST; i++) {
        char *of_path = place_at(place, otlp_paths[i]);
        int added = of_path == NULL ? error_no_memory(error)
                                    : url_add(out, otlp_paths[i], scheme, of_path, query, error);
        free(of_path);
        if (added != 0)
            return -1;
    }
    return 0;
}

void http_urls_free(struct http_urls *urls)
{
    for (size_t i = 0; i < urls->count; i++)
        free(urls->list[i].url);
    urls->count = 0;
}

const char *http_urls_find(const struct http_urls *urls, const char *route)
{
    for (size_t i = 1; i < urls->count; i++)
        if (strcmp(urls->list[i].route, route) == 0)
            return urls->list[i].url;
    return urls->list[0].url;
}
