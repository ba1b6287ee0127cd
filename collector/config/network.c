#include "collector/config/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/units.h"

#define MAPPED_BITS 96 /* bits of an IPv4-mapped address before the IPv4 address */

/* --- parsing one network ---------------------------------------------------------------------- */

static bool network_parse_address(const char *name, const char *text, size_t length,
                                  struct address *address, struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    if (memchr(text, '%', length) == NULL && address_parse_host(text, length, address))
        return true;
    return parse_error_set(fault, 0,
                           "%s %s is not a numeric address, or network as in "
                           "10.1.0.0/16",
                           name, quoted(text, length, given));
}

static bool parse_prefix(const char *name, const char *text, size_t length, unsigned least,
                         unsigned most, unsigned *prefix, struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    uint64_t value = 0;
    if (quantity_parse(QUANTITY_COUNT, text, length, &value) != NULL || value < least ||
        value > most)
        return parse_error_set(fault, 0, "%s: %s is not a number of bits from %u to %u", name,
                               quoted(text, length, given), least, most);
    *prefix = (unsigned)value;
    return true;
}

static void clear_after(struct address *network, unsigned prefix)
{
    for (unsigned bit = prefix; bit < 8 * sizeof network->bytes; bit++)
        network->bytes[bit / 8] &= (uint8_t) ~(0x80u >> bit % 8);
}

bool network_parse(const char *name, const char *text, size_t length, struct network *network,
                   struct parse_error *fault)
{
    const char *slash = memchr(text, '/', length);
    size_t host = slash != NULL ? (size_t)(slash - text) : length;
    struct address address;
    if (!network_parse_address(name, text, host, &address, fault))
        return false;
    bool ipv4 = address.family == ADDRESS_IPV4;
    unsigned mapped = ipv4 && memchr(text, ':', host) != NULL ? MAPPED_BITS : 0;
    unsigned prefix = ipv4 ? mapped + 32 : 128;
    if (slash != NULL &&
        !parse_prefix(name, slash + 1, length - host - 1, mapped, prefix, &prefix, fault)) {
        fault->at += host + 1;
        return false;
    }
    network->prefix = (uint8_t)(prefix - mapped);
    network->address = address;
    clear_after(&network->address, network->prefix);
    if (memcmp(network->address.bytes, address.bytes, sizeof address.bytes) == 0)
        return true;
    char right[ADDRESS_TEXT_SIZE];
    address_format_host(&network->address, right);
    return parse_error_set(fault, 0,
                           "%s: the address has bits set after the first %u; that network is %s/%u",
                           name, (unsigned)network->prefix, right, (unsigned)network->prefix);
}

/* --- parsing a list of networks --------------------------------------------------------------- */

static size_t count_elements(const char *text, size_t length)
{
    size_t count = 1;
    for (size_t i = 0; i < length; i++)
        count += text[i] == ',';
    return count;
}

/*
 * Parses one element. A fault names the element's number, because the element's text may occur
 * several times.
 */
static bool parse_element(const char *name, size_t index, const char *text, size_t length,
                          struct network *network, struct parse_error *fault)
{
    char element[64];
    snprintf(element, sizeof element, "%s, element %zu", name, index + 1);
    if (length == 0)
        return parse_error_set(fault, 0, "%s: a network is missing here", element);
    return network_parse(element, text, length, network, fault);
}

static bool parse_elements(const char *name, const char *text, size_t length, struct network *list,
                           size_t count, struct parse_error *fault)
{
    const char *at = text;
    for (size_t i = 0; i < count; i++) {
        size_t left = length - (size_t)(at - text);
        const char *comma = memchr(at, ',', left);
        size_t size = comma != NULL ? (size_t)(comma - at) : left;
        if (!parse_element(name, i, at, size, &list[i], fault)) {
            fault->at += (size_t)(at - text);
            return false;
        }
        at += size + 1;
    }
    return true;
}

bool networks_parse(const char *name, const char *text, size_t length, void *field,
                    struct parse_error *fault)
{
    size_t count = count_elements(text, length);
    struct network *list = calloc(count, sizeof *list);
    if (list == NULL)
        return parse_error_no_memory(fault);
    struct networks *made = NULL;
    bool good = parse_elements(name, text, length, list, count, fault);
    if (good) {
        made = networks_create(list, count);
        good = made != NULL || parse_error_no_memory(fault);
    }
    free(list);
    memcpy(field, &made, sizeof made); /* memcpy works for a field of any pointer type */
    return good;
}

bool network_host_parse(const char *name, const char *text, size_t length, void *field,
                        struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    if (memchr(text, '%', length) == NULL && address_parse_host(text, length, field))
        return true;
    return parse_error_set(fault, 0, "%s %s is not a numeric address", name,
                           quoted(text, length, given));
}
