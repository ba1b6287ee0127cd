#include "collector/config/url_authority.h"

#include <string.h>

#include "collector/config/units.h"
#include "collector/platform/udp.h"

bool url_parse_port(const char *text, size_t length, size_t at, uint16_t *port,
                    struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    uint64_t value = 0;
    if (length == 0)
        return parse_error_set(fault, at, "the port is missing; write udp://ADDR:PORT");
    if (quantity_parse(QUANTITY_COUNT, text, length, &value) != NULL || value > UINT16_MAX)
        return parse_error_set(
            fault, at, "port %s is not a number from 0 to 65535%s", quoted(text, length, given),
            memchr(text, '=', length) != NULL && memchr(text, '&', length) != NULL
                ? "; the first key comes after \"?\""
                : "");
    *port = (uint16_t)value;
    return true;
}

/* The most bytes of an interface's name, with its NUL (IF_NAMESIZE on Linux). */
#define ZONE_SIZE 16

/*
 * Parses the text after the percent sign of an address: the name of an interface, such as "eth0",
 * or its index. If the percent sign was written as %25 (RFC 6874), the text begins with "25", which
 * is skipped.
 */
static bool parse_zone(const char *text, size_t length, uint32_t *scope)
{
    char name[ZONE_SIZE];
    uint64_t index;
    if (quantity_parse(QUANTITY_COUNT, text, length, &index) == NULL && index <= UINT32_MAX) {
        *scope = (uint32_t)index;
        return true;
    }
    if (length == 0 || length >= sizeof name + 2)
        return false;
    for (size_t skipped = 0; skipped <= 2; skipped += 2) {
        if (length - skipped >= sizeof name)
            continue;
        memcpy(name, text + skipped, length - skipped);
        name[length - skipped] = '\0';
        *scope = udp_interface_index(name);
        if (*scope != 0 || length <= 2 || memcmp(text, "25", 2) != 0)
            break;
    }
    return *scope != 0;
}

static bool parse_ipv6_host(const char *text, size_t length, struct address *address,
                            struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    const char *percent = memchr(text, '%', length);
    size_t host = percent != NULL ? (size_t)(percent - text) : length;
    if (memchr(text, ':', host) == NULL || !address_parse_host(text, host, address) ||
        (percent != NULL && address->family != ADDRESS_IPV6))
        return parse_error_set(fault, 1, "%s is not a numeric IPv6 address",
                               quoted(text, length, given));
    if (percent == NULL || parse_zone(percent + 1, length - host - 1, &address->scope))
        return true;
    return parse_error_set(fault, host + 2, "%s is not a network interface of this machine",
                           quoted(percent + 1, length - host - 1, given));
}

static bool parse_bracketed(const char *text, size_t length, struct address *address, size_t *end,
                            struct parse_error *fault)
{
    const char *close = memchr(text, ']', length);
    if (close == NULL)
        return parse_error_set(fault, 0, "the bracket is not closed; write udp://[ADDR]:PORT");
    size_t host_length = (size_t)(close - text) - 1;
    *end = host_length + 2;
    return parse_ipv6_host(text + 1, host_length, address, fault);
}

static bool parse_unbracketed(const char *text, size_t length, struct address *address, size_t *end,
                              struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    const char *colon = memchr(text, ':', length);
    size_t host_length = colon != NULL ? (size_t)(colon - text) : length;
    if (memchr(text, ',', length) != NULL)
        return parse_error_set(fault, 0, "one address is expected; give --listen once for each");
    if (colon != NULL && memchr(colon + 1, ':', length - host_length - 1) != NULL)
        return parse_error_set(fault, 0, "an IPv6 address needs brackets: udp://[::1]:5555");
    if (host_length == 0)
        return parse_error_set(fault, 0, "the address is missing; 0.0.0.0 or [::] listens on all");
    if (!address_parse_host(text, host_length, address)) {
        parse_error_set(fault, 0, "%s is not a numeric address; names are not looked up",
                        quoted(text, host_length, given));
        bool local = host_length == 9 && memcmp(text, "localhost", 9) == 0;
        bool all = host_length == 1 && text[0] == '*';
        parse_error_suggest(fault, local ? "127.0.0.1" : all ? "0.0.0.0" : NULL);
        return false;
    }
    *end = host_length;
    return true;
}

bool url_parse_authority(const char *text, size_t length, struct address *address,
                         struct parse_error *fault)
{
    size_t end = 0;
    uint16_t port = 0;
    bool bracketed = length != 0 && text[0] == '[';
    if (!(bracketed ? parse_bracketed : parse_unbracketed)(text, length, address, &end, fault))
        return false;
    if (end < length && text[end] != ':')
        return parse_error_set(fault, end, "expected \":PORT\" after the address");
    size_t port_at = end < length ? end + 1 : end;
    if (!url_parse_port(text + port_at, length - port_at, port_at, &port, fault))
        return false;
    address->port = port;
    return true;
}
