#include "collector/config/metrics_address.h"

#include <string.h>

#include "collector/base/address.h"
#include "collector/config/url_authority.h"

bool metrics_address_parse(const char *name, const char *text, size_t length, void *field,
                           struct parse_error *fault)
{
    static const uint8_t loopback[4] = {127, 0, 0, 1};
    char given[QUOTED_SIZE];
    struct parse_error why;
    struct address address = address_from_ipv4(loopback, 0);
    size_t colon = length != 0 && text[0] == ':';
    if (!url_parse_port(text + colon, length - colon, 0, &address.port, &why) &&
        !url_parse_authority(text, length, &address, &why))
        return parse_error_set(fault, 0,
                               "%s %s is not an address; write 127.0.0.1:9126, [::1]:9126 or a "
                               "port: names are not looked up",
                               name, quoted(text, length, given));
    *(struct address *)field = address;
    return true;
}

bool metrics_address_equal(const void *a, const void *b)
{
    return address_equal(a, b);
}
