#include "collector/text/secret_url.h"

#include <stdbool.h>
#include <string.h>

#include "collector/text/secret_query.h"
#include "collector/text/text.h"

/* The byte that marks the bytes of secrets. No URL contains it. */
#define MARK '\001'

static void mark_secret(char *text, size_t length)
{
    memset(text, MARK, length);
}

static size_t length_to(const char *text, size_t length, char byte)
{
    const char *at = memchr(text, byte, length);
    return at == NULL ? length : (size_t)(at - text);
}

/* --- the path --------------------------------------------------------------------------------- */

struct byte_counts {
    size_t lower, upper, digits, hex;
};

static void count_byte(struct byte_counts *counts, char byte)
{
    bool lower = byte >= 'a' && byte <= 'z';
    bool upper = byte >= 'A' && byte <= 'Z';
    bool digit = byte >= '0' && byte <= '9';
    counts->lower += lower;
    counts->upper += upper;
    counts->digits += digit;
    counts->hex += digit || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

/*
 * Returns true if a run of letters and digits looks like a key: 16 bytes with letters and digits,
 * or 20 letters of both cases.
 */
static bool is_key_run(const struct byte_counts *run)
{
    size_t letters = run->lower + run->upper;
    return (letters + run->digits >= 16 && letters != 0 && run->digits != 0) ||
           (letters >= 20 && run->lower != 0 && run->upper != 0);
}

static bool looks_like_key(const char *text, size_t length)
{
    struct byte_counts all = {0};
    struct byte_counts run = {0};
    for (size_t i = 0; i < length; i++) {
        struct byte_counts before = run;
        count_byte(&all, text[i]);
        count_byte(&run, text[i]);
        if (memcmp(&before, &run, sizeof run) == 0)
            run = (struct byte_counts){0};
        else if (is_key_run(&run))
            return true;
    }
    bool mixed = all.lower != 0 && all.upper != 0 && all.digits != 0;
    return (length >= 32 && mixed) || (all.hex >= 32 && all.digits != 0); /* base64 or a UUID */
}

/* Returns true if this part of the path says that the next part is a key, as in "/token/...". */
static bool announces_key(const char *text, size_t length)
{
    static const char *const words[] = {"token",   "key",    "apikey",  "api_key",
                                        "api-key", "secret", "password"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (text_is(text, length, words[i]))
            return true;
    return false;
}

static void mark_path(char *text, size_t length)
{
    bool announced = false;
    for (size_t at = 0; at < length;) {
        size_t part = length_to(text + at, length - at, '/');
        size_t name = length_to(text + at, part, '=');
        bool named = name + 1 < part && secret_query_has(text + at, part);
        bool announces = announces_key(text + at, part);
        if (named)
            mark_secret(text + at + name + 1, part - name - 1);
        else if (announced || looks_like_key(text + at, part))
            mark_secret(text + at, part);
        announced = announces;
        at += part + 1;
    }
}

/* Marks the secrets in "//USER:PASSWORD@HOST/PATH". */
static void mark_place(char *text, size_t length)
{
    size_t host = length >= 2 && memcmp(text, "//", 2) == 0 ? 2 : 0;
    size_t host_end = host + length_to(text + host, length - host, '/');
    for (size_t at = host_end; at > host; at--)
        if (text[at - 1] == '@') {
            mark_secret(text + host, at - 1 - host);
            break;
        }
    if (host_end < length)
        mark_path(text + host_end + 1, length - host_end - 1);
}

/* --- the keys --------------------------------------------------------------------------------- */

/* Returns true if the key's value is the name of a file, which is not secret. */
static bool names_file(const char *name, size_t length)
{
    return text_ends(name, length, "_file") || text_is(name, length, "client_key") ||
           text_is(name, length, "key") || memchr(name, '.', length) != NULL;
}

static void mark_query(char *text, size_t length)
{
    size_t size;
    for (size_t at = 0; secret_query_find(text, length, &at, &size); at += size)
        mark_secret(text + at, size);
}

static void mark_keys(char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t pair = length_to(text + at, length - at, '&');
        size_t name = length_to(text + at, pair, '=');
        if (text_is(text + at, name, "query") && name < pair)
            mark_query(text + at + name + 1, pair - name - 1);
        else if (!names_file(text + at, name) && secret_query_has(text + at, pair))
            mark_secret(text + at + name + 1, pair - name - 1);
        at += pair + 1;
    }
}

/* --- the URL ---------------------------------------------------------------------------------- */

static void mark_secrets(char *text, size_t length)
{
    size_t scheme = length_to(text, length, ':');
    if (scheme == length || text_is(text, scheme, "file") || text_is(text, scheme, "stdout"))
        return;
    char *place = text + scheme + 1;
    size_t size = length_to(place, length - scheme - 1, '?');
    if (text_is(text, scheme, "command"))
        mark_secret(place, size);
    else
        mark_place(place, size);
    size_t keys = scheme + 1 + size + 1;
    if (keys < length)
        mark_keys(text + keys, length - keys);
}

size_t secret_url_mask(const char *text, size_t length, char *to)
{
    size_t used = 0;
    char *marked = to + 2 * length; /* the last third of the room (SECRET_URL_ROOM) */
    memmove(marked, text, length);
    mark_secrets(marked, length);
    for (size_t i = 0; i < length; i++) {
        if (marked[i] != MARK) {
            to[used++] = marked[i];
        } else if (i == 0 || marked[i - 1] != MARK) {
            memcpy(to + used, "***", 3);
            used += 3;
        }
    }
    return used;
}

void secret_url_blank(char *text, size_t length)
{
    mark_secrets(text, length);
    for (size_t i = 0; i < length; i++)
        if (text[i] == MARK)
            text[i] = '*';
}
