#include "collector/config/url_authority.h"

#include <string.h>

#include "collector/config/units.h"

bool url_parse_port(const char *text, size_t length, size_t at, uint16_t *port,
                    struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    uint64_t value = 0;
    if (length == 0)
        return parse_error_set(fault, at, "the port is missing; write udp://ADDR:PORT");
    if (quantity_parse(QUANTITY_COUNT, text, length, &value) != NULL || value > UINT16_MAX)
        return parse_error_set(fault, at, "port %s is not a number from 0 to 65535",
                               quoted(text, length, given));
    *port = (uint16_t)value;
    return true;
}

/* Parses "[ADDR]" at the beginning of the text. *end is the offset of the first byte after it. */
static bool parse_bracketed(const char *text, size_t length, struct address *address, size_t *end,
                            struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    const char *close = memchr(text, ']', length);
    if (close == NULL)
        return parse_error_set(fault, 0, "the bracket is not closed; write udp://[ADDR]:PORT");
    size_t host_length = (size_t)(close - text) - 1;
    if (memchr(text, ':', host_length + 1) == NULL ||
        !address_parse_host(text + 1, host_length, address))
        return parse_error_set(fault, 1, "%s is not a numeric IPv6 address",
                               quoted(text + 1, host_length, given));
    *end = host_length + 2;
    return true;
}

static bool parse_unbracketed(const char *text, size_t length, struct address *address, size_t *end,
                              struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    const char *colon = memchr(text, ':', length);
    size_t host_length = colon != NULL ? (size_t)(colon - text) : length;
    if (colon != NULL && memchr(colon + 1, ':', length - host_length - 1) != NULL)
        return parse_error_set(fault, 0, "an IPv6 address needs brackets: udp://[::1]:5555");
    if (host_length == 0)
        return parse_error_set(fault, 0, "the address is missing; 0.0.0.0 or [::] listens on all");
    if (!address_parse_host(text, host_length, address)) {
        parse_error_set(fault, 0, "%s is not a numeric address; names are not looked up",
                        quoted(text, host_length, given));
        bool local = host_length == 9 && memcmp(text, "localhost", 9) == 0;
        parse_error_suggest(fault, local ? "127.0.0.1" : NULL);
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
