#include "collector/config/match.h"

#include <string.h>

#include "collector/config/units.h"

#define MAPPED_BITS 96 /* of an IPv4-mapped address, before the IPv4 address */

/* --- source ----------------------------------------------------------------------------------- */

static bool parse_address(const char *text, size_t length, struct address *address,
                          struct fault *fault)
{
    char given[QUOTED_SIZE];
    if (memchr(text, '%', length) == NULL && address_parse_host(text, length, address))
        return true;
    return fault_set(fault, 0,
                     "match source %s is not a numeric address, or network as in "
                     "10.1.0.0/16",
                     quoted(text, length, given));
}

/* The bits behind the slash, counted as the family of `address` counts them. */
static bool parse_prefix(const char *text, size_t length, unsigned least, unsigned most,
                         unsigned *prefix, struct fault *fault)
{
    char given[QUOTED_SIZE];
    uint64_t value = 0;
    if (quantity_parse(QUANTITY_COUNT, text, length, &value) != NULL || value < least ||
        value > most)
        return fault_set(fault, 0, "match source: %s is not a number of bits from %u to %u",
                         quoted(text, length, given), least, most);
    *prefix = (unsigned)value;
    return true;
}

static void clear_behind(struct address *network, unsigned prefix)
{
    for (unsigned bit = prefix; bit < 8 * sizeof network->bytes; bit++)
        network->bytes[bit / 8] &= (uint8_t) ~(0x80u >> bit % 8);
}

static bool parse_source(const char *text, size_t length, struct schema_match *match,
                         struct fault *fault)
{
    const char *slash = memchr(text, '/', length);
    size_t host = slash != NULL ? (size_t)(slash - text) : length;
    struct address address;
    if (!parse_address(text, host, &address, fault))
        return false;
    bool ipv4 = address.family == ADDRESS_IPV4;
    /* Of an IPv4-mapped network the bits are counted from the first of 128. */
    unsigned mapped = ipv4 && memchr(text, ':', host) != NULL ? MAPPED_BITS : 0;
    unsigned prefix = ipv4 ? mapped + 32 : 128;
    if (slash != NULL &&
        !parse_prefix(slash + 1, length - host - 1, mapped, prefix, &prefix, fault)) {
        fault->at += host + 1;
        return false;
    }
    match->kind = MATCH_SOURCE;
    match->prefix = (uint8_t)(prefix - mapped);
    match->network = address;
    clear_behind(&match->network, match->prefix);
    if (memcmp(match->network.bytes, address.bytes, sizeof address.bytes) == 0)
        return true;
    char right[ADDRESS_TEXT_SIZE];
    address_format_host(&match->network, right);
    return fault_set(fault, 0,
                     "match source: the address has bits behind its first %u; that "
                     "network is %s/%u",
                     (unsigned)match->prefix, right, (unsigned)match->prefix);
}

/* --- magic ------------------------------------------------------------------------------------ */

static int hex_value(char c)
{
    static const char digits[] = "0123456789abcdef";
    if (c >= 'A' && c <= 'F')
        c = (char)(c - 'A' + 'a');
    const char *digit = c == '\0' ? NULL : strchr(digits, c);
    return digit != NULL ? (int)(digit - digits) : -1;
}

static bool parse_magic(const char *text, size_t length, struct schema_match *match,
                        struct fault *fault)
{
    for (size_t i = 0; i < length; i++)
        if (hex_value(text[i]) < 0)
            return fault_set(fault, i, "match magic: no hexadecimal digit");
    if (length == 0 || length % 2 != 0 || length > 2 * (size_t)MATCH_MAGIC_MAX)
        return fault_set(fault, 0,
                         "match magic has %zu hexadecimal digits; it takes two for each of 1 to %d "
                         "bytes",
                         length, MATCH_MAGIC_MAX);
    match->kind = MATCH_MAGIC;
    match->magic_size = (uint8_t)(length / 2);
    for (size_t i = 0; i < length; i += 2)
        match->magic[i / 2] = (uint8_t)(hex_value(text[i]) << 4 | hex_value(text[i + 1]));
    return true;
}

/* --- both ------------------------------------------------------------------------------------- */

static const struct match_form {
    const char *name;
    bool (*parse)(const char *text, size_t length, struct schema_match *match, struct fault *fault);
} forms[] = {
    {"source:", parse_source},
    {"magic:", parse_magic},
};

bool match_parse(const char *text, size_t length, struct schema_match *match, struct fault *fault)
{
    char given[QUOTED_SIZE];
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        size_t name = strlen(forms[i].name);
        if (length < name || memcmp(text, forms[i].name, name) != 0)
            continue;
        *match = (struct schema_match){0};
        if (forms[i].parse(text + name, length - name, match, fault))
            return true;
        fault->at += name;
        return false;
    }
    return fault_set(fault, 0, "match %s is neither source:ADDR/BITS nor magic:HEX",
                     quoted(text, length, given));
}
