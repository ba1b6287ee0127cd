#include "collector/base/host_names.h"

#include <string.h>

#include "collector/base/address.h"
#include "collector/text/ascii.h"

static bool is_digit_char(char c)
{
    return c >= '0' && c <= '9';
}

static bool may_be_in_name(char c)
{
    return is_digit_char(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || c == '-' ||
           c == '.' || c == '_';
}

/* --- allowed names ---------------------------------------------------------------------------- */

static bool check_name(const char *name, size_t length, size_t at, struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    struct address ignored;
    if (length == 0)
        return parse_error_set(fault, at, "a name is missing");
    for (size_t i = 0; i < length; i++)
        if (!may_be_in_name(name[i]))
            return parse_error_set(fault, at + i, "%s is not a host name",
                                   quoted(name, length, given));
    if (address_parse_host(name, length, &ignored))
        return parse_error_set(fault, at, "%s is an address, which is always allowed",
                               quoted(name, length, given));
    return true;
}

bool host_names_parse(const char *text, size_t length, struct host_names *names,
                      struct parse_error *fault)
{
    if (length >= sizeof names->text)
        return parse_error_set(fault, 0, "the names are longer than %zu bytes",
                               sizeof names->text - 1);
    for (size_t at = 0; at <= length;) {
        const char *comma = memchr(text + at, ',', length - at);
        size_t part = comma == NULL ? length - at : (size_t)(comma - text) - at;
        if (!check_name(text + at, part, at, fault))
            return false;
        at += part + 1;
    }
    *names = (struct host_names){0};
    for (size_t i = 0; i < length; i++)
        names->text[i] = ascii_lower(text[i]);
    return true;
}

/* --- the requested name ----------------------------------------------------------------------- */

/*
 * Returns true if both names are equal. Ignores case, and a dot at the end of the text. `name` is
 * in lower case.
 */
static bool is_same_name(const char *text, size_t length, const char *name, size_t name_length)
{
    if (length == name_length + 1 && text[length - 1] == '.')
        length--;
    if (length != name_length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (ascii_lower(text[i]) != name[i])
            return false;
    return true;
}

static bool is_listed(const struct host_names *names, const char *text, size_t length)
{
    for (const char *name = names->text; *name != '\0';) {
        size_t name_length = strcspn(name, ",");
        if (is_same_name(text, length, name, name_length))
            return true;
        name += name_length + (name[name_length] == ',');
    }
    return false;
}

static bool is_port_text(const char *text)
{
    if (*text == '\0')
        return true;
    return *text == ':' && strspn(text + 1, "0123456789") == strlen(text + 1);
}

static bool is_ipv6(const char *host)
{
    struct address address;
    const char *end = strchr(host, ']');
    return end != NULL && is_port_text(end + 1) &&
           address_parse_host(host + 1, (size_t)(end - host) - 1, &address) &&
           memchr(host, ':', (size_t)(end - host)) != NULL;
}

bool host_names_allow(const struct host_names *names, const char *host)
{
    struct address address;
    size_t length = strcspn(host, ":");
    if (host[0] == '[')
        return is_ipv6(host);
    if (!is_port_text(host + length))
        return false;
    return (memchr(host, '.', length) != NULL && address_parse_host(host, length, &address)) ||
           is_same_name(host, length, "localhost", strlen("localhost")) ||
           is_listed(names, host, length);
}
