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

/* Appends the text, and returns where it ends. */
static char *append(char *to, const char *text)
{
    for (; *text != '\0'; text++)
        to = append_byte(to, (unsigned char)*text);
    *to = '\0';
    return to;
}

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    return at == NULL ? -1 : (int)(at - digits);
}

/* The same of a query: "%" and two digits are the byte that they stand for. */
static char *append_decoded(char *to, const char *text)
{
    for (; *text != '\0'; text++) {
        bool encoded = text[0] == '%' && digit(text[1]) >= 0 && digit(text[2]) >= 0;
        to = append_byte(to, encoded ? (unsigned char)(16 * digit(text[1]) + digit(text[2]))
                                     : (unsigned char)*text);
        text += encoded ? 2 : 0;
    }
    *to = '\0';
    return to;
}

static int check(const char *scheme, const char *place, struct error *error)
{
    size_t host = strncmp(place, "//", 2) != 0 ? 0 : strcspn(place + 2, "/");
    if (host == 0 || place[2] == ':') {
        error_set(error, EXIT_CODE_CONFIG, "%s:%s has no host; write %s://HOST:PORT/PATH", scheme,
                  place, scheme);
        return -1;
    }
    if (memchr(place + 2, '@', host) == NULL)
        return 0;
    error_set(
        error, EXIT_CODE_CONFIG,
        "%s: has a user before its host; put an Authorization header into header_file=", scheme);
    return -1;
}

int http_url_make(const char *scheme, const char *place, const char *query, char **out,
                  struct error *error)
{
    if (check(scheme, place, error) != 0)
        return -1;
    size_t query_size = query == NULL ? 0 : strlen(query);
    char *url = malloc(strlen(scheme) + 3 * (strlen(place) + query_size) + 3);
    if (url == NULL)
        return error_no_memory(error);
    char *end = url + sprintf(url, "%s:", scheme);
    end = append(end, place);
    if (query_size != 0) {
        *end++ = '?';
        append_decoded(end, query);
    }
    *out = url;
    return 0;
}
