#include "collector/text/secret_query.h"

#include <string.h>

#include "collector/text/ascii.h"

static bool name_has(const char *text, size_t length, const char *word)
{
    size_t size = strlen(word);
    for (size_t at = 0; at + size <= length; at++) {
        size_t same = 0;
        while (same < size && ascii_lower(text[at + same]) == word[same])
            same++;
        if (same == size)
            return true;
    }
    return false;
}

/*
 * Returns true if a name suggests a secret. "p" is InfluxDB's name for a password. A name with "%"
 * counts, because ordinary names need no escapes.
 */
static bool is_secret(const char *name, size_t length)
{
    static const char *const words[] = {"pass", "pwd", "secret", "token", "auth",   "apikey",
                                        "key",  "sig", "cred",   "%",     "bearer", "session"};
    if (length == 1 && ascii_lower(name[0]) == 'p')
        return true;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (name_has(name, length, words[i]))
            return true;
    return false;
}

static size_t separator(const char *text, size_t length)
{
    if (length != 0 && text[0] == '&')
        return 1;
    return length >= 3 && memcmp(text, "%26", 3) == 0 ? 3 : 0;
}

static size_t pair_length(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && separator(text + at, length - at) == 0)
        at++;
    return at;
}

/* Returns the size of "NAME=" if a secret follows it, else 0. */
static size_t before_secret(const char *pair, size_t length)
{
    const char *equals = memchr(pair, '=', length);
    size_t name = equals == NULL ? 0 : (size_t)(equals - pair);
    return equals != NULL && name + 1 < length && is_secret(pair, name) ? name + 1 : 0;
}

bool secret_query_find(const char *text, size_t length, size_t *at, size_t *size)
{
    for (size_t pair, i = *at; i < length; i += pair) {
        i += separator(text + i, length - i);
        pair = pair_length(text + i, length - i);
        size_t before = before_secret(text + i, pair);
        if (before == 0)
            continue;
        *at = i + before;
        *size = pair - before;
        return true;
    }
    return false;
}

size_t secret_query_mask(const char *text, size_t length, char *to)
{
    size_t used = 0;
    size_t from = 0;
    size_t size;
    for (size_t at = 0; secret_query_find(text, length, &at, &size); from = at) {
        memcpy(to + used, text + from, at - from);
        used += at - from;
        memcpy(to + used, "***", 3);
        used += 3;
        at += size;
    }
    memcpy(to + used, text + from, length - from);
    return used + length - from;
}

bool secret_query_has(const char *text, size_t length)
{
    size_t at = 0;
    size_t size;
    return secret_query_find(text, length, &at, &size);
}
