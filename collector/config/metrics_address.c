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

bool metrics_place_parse(const char *name, const char *text, size_t length, void *field,
                         struct parse_error *fault)
{
    static const char scheme[] = "unix:";
    const size_t before = sizeof scheme - 1;
    struct metrics_place place = {.address = {.family = ADDRESS_LOCAL}};
    if (length < before || memcmp(text, scheme, before) != 0) {
        place.address.family = ADDRESS_NONE;
        if (!metrics_address_parse(name, text, length, &place.address, fault))
            return false;
    } else if (length == before || text[before] == '@') {
        return parse_error_set(fault, before, "%s %s has no file; write unix:/run/sluice/metrics",
                               name, scheme);
    } else if (length - before >= sizeof place.path) {
        return parse_error_set(fault, before, "%s: the path of a socket has at most %d bytes", name,
                               LOCAL_NAME_MOST);
    } else {
        memcpy(place.path, text + before, length - before);
    }
    *(struct metrics_place *)field = place;
    return true;
}

bool metrics_place_equal(const void *a, const void *b)
{
    const struct metrics_place *one = a, *other = b;
    return address_equal(&one->address, &other->address) && strcmp(one->path, other->path) == 0;
}
