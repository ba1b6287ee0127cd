#include "collector/metrics/http_request.h"

#include <stdint.h>
#include <string.h>

#include "collector/metrics/http_text.h"

#define BAD_REQUEST    400
#define BAD_VERSION    505
#define VERSION_LENGTH 8 /* of "HTTP/1.1" */

/* --- the end of a request --------------------------------------------------------------------- */

size_t http_request_empty(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && (text[at] == '\r' || text[at] == '\n'))
        at++;
    return at;
}

size_t http_request_size(const char *text, size_t size, size_t known)
{
    const size_t most = 3; /* bytes of the head's end that may be among the known bytes */
    const char *end = text + size;
    for (const char *at = text + (known < most ? 0 : known - most);
         (at = memchr(at, '\n', (size_t)(end - at))) != NULL;) {
        at++;
        const char *next = at != end && *at == '\r' ? at + 1 : at;
        if (next != end && *next == '\n')
            return (size_t)(next + 1 - text);
    }
    return 0;
}

bool http_request_begins(const char *text, size_t size, const char *path)
{
    static const char *const methods[] = {"GET ", "HEAD "};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        size_t at = strlen(methods[i]);
        if (size > at + length && memcmp(text, methods[i], at) == 0 &&
            memcmp(text + at, path, length) == 0 && text[at + length] == ' ')
            return true;
    }
    return false;
}

/* --- the parts of a request ------------------------------------------------------------------- */

/* Returns true for a token of RFC 9110, 5.6.2. */
static bool is_token(const struct text *text)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < text->size; i++) {
        char c = text->data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && (c == '\0' || strchr(others, c) == NULL))
            return false;
    }
    return text->size != 0;
}

/*
 * Returns true for a valid value of a header: without control characters except tabs. Bytes above
 * ASCII are allowed (RFC 9110, 5.5).
 */
static bool is_value(const struct text *text)
{
    for (size_t i = 0; i < text->size; i++) {
        unsigned char c = (unsigned char)text->data[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

/*
 * Removes the next line from `rest`, which ends with a line feed. Returns it without its line end.
 */
static struct text take_line(struct text *rest)
{
    const char *end = memchr(rest->data, '\n', rest->size);
    struct text line = {rest->data, (size_t)(end - rest->data)};
    rest->data += line.size + 1;
    rest->size -= line.size + 1;
    if (line.size != 0 && line.data[line.size - 1] == '\r')
        line.size--;
    return line;
}

static bool take_until(struct text *rest, char until, struct text *out)
{
    const char *end = memchr(rest->data, until, rest->size);
    if (end == NULL)
        return false;
    *out = (struct text){rest->data, (size_t)(end - rest->data)};
    rest->data += out->size + 1;
    rest->size -= out->size + 1;
    return true;
}

/* Ends the text with a NUL, which overwrites the byte of the head that follows the text. */
static const char *terminated(const struct text *text)
{
    *(char *)(uintptr_t)(text->data + text->size) = '\0';
    return text->data;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static unsigned parse_version(const struct text *version, struct http_request *out)
{
    const char *at = version->data;
    if (version->size != VERSION_LENGTH || memcmp(at, "HTTP/", 5) != 0 || !is_digit(at[5]) ||
        at[6] != '.' || !is_digit(at[7]))
        return BAD_REQUEST;
    out->old = at[7] == '0';
    return at[5] == '1' ? 0 : BAD_VERSION;
}

static unsigned parse_first_line(struct text line, struct http_request *out)
{
    struct text method, target, path;
    if (!take_until(&line, ' ', &method) || !take_until(&line, ' ', &target) ||
        !is_token(&method) || target.size == 0 || !is_value(&target))
        return BAD_REQUEST;
    unsigned status = parse_version(&line, out);
    out->method = text_is(method.data, method.size, "GET")    ? HTTP_GET
                  : text_is(method.data, method.size, "HEAD") ? HTTP_HEAD
                                                              : HTTP_OTHER;
    out->path = terminated(take_until(&target, '?', &path) ? &path : &target);
    return status;
}

static void note_header(const struct text *name, const struct text *value, struct http_request *out)
{
    if (http_is_named(name, "host")) {
        out->hosts++;
        out->host = terminated(value);
    } else if (http_is_named(name, "accept") && out->accept == NULL) {
        out->accept = terminated(value);
    } else if (http_is_named(name, "accept-encoding") && out->accept_encoding == NULL) {
        out->accept_encoding = terminated(value);
    } else if (http_is_named(name, "authorization") && out->authorization == NULL) {
        out->authorization = terminated(value);
    }
}

static bool parse_header(struct text line, struct http_request *out)
{
    struct text name;
    if (!take_until(&line, ':', &name) || !is_token(&name) || !is_value(&line))
        return false;
    struct text value = http_trimmed(line);
    note_header(&name, &value, out);
    return true;
}

unsigned http_request_parse(char *head, size_t size, struct http_request *out)
{
    struct text rest = {head, size};
    *out = (struct http_request){.method = HTTP_OTHER};
    unsigned status = parse_first_line(take_line(&rest), out);
    while (status == 0) {
        struct text line = take_line(&rest);
        if (line.size == 0)
            break;
        if (!parse_header(line, out))
            status = BAD_REQUEST;
    }
    return status;
}
