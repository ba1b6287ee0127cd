#include "collector/config/match.h"

#include <string.h>

#include "collector/config/network.h"

/* --- source ----------------------------------------------------------------------------------- */

static bool parse_source(const char *text, size_t length, struct schema_match *match,
                         struct parse_error *fault)
{
    struct network network;
    if (!network_parse("match source", text, length, &network, fault))
        return false;
    match->kind = MATCH_SOURCE;
    match->network = network.address;
    match->prefix = network.prefix;
    return true;
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
                        struct parse_error *fault)
{
    for (size_t i = 0; i < length; i++)
        if (hex_value(text[i]) < 0)
            return parse_error_set(fault, i, "match magic: not a hexadecimal digit");
    if (length == 0 || length % 2 != 0 || length > 2 * (size_t)MATCH_MAGIC_MAX)
        return parse_error_set(
            fault, 0, "match magic has %zu hexadecimal digits; write two for each of 1 to %d bytes",
            length, MATCH_MAGIC_MAX);
    match->kind = MATCH_MAGIC;
    match->magic_size = (uint8_t)(length / 2);
    for (size_t i = 0; i < length; i += 2)
        match->magic[i / 2] = (uint8_t)(hex_value(text[i]) << 4 | hex_value(text[i + 1]));
    return true;
}

/* --- key -------------------------------------------------------------------------------------- */

static bool parse_key(const char *text, size_t length, struct schema_match *match,
                      struct parse_error *fault)
{
    if (length == 0 || length > SENDER_NAME_MAX)
        return parse_error_set(fault, 0, "match key is a name of 1 to %d bytes", SENDER_NAME_MAX);
    match->kind = MATCH_KEY;
    memcpy(match->key, text, length);
    match->key[length] = '\0';
    return true;
}

/* --- all conditions --------------------------------------------------------------------------- */

static const struct match_syntax {
    const char *name;
    bool (*parse)(const char *text, size_t length, struct schema_match *match,
                  struct parse_error *fault);
} syntaxes[] = {
    {"source:", parse_source},
    {"magic:", parse_magic},
    {"key:", parse_key},
};

bool match_parse(const char *text, size_t length, struct schema_match *match,
                 struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    for (size_t i = 0; i < sizeof syntaxes / sizeof syntaxes[0]; i++) {
        size_t name = strlen(syntaxes[i].name);
        if (length < name || memcmp(text, syntaxes[i].name, name) != 0)
            continue;
        *match = (struct schema_match){0};
        if (syntaxes[i].parse(text + name, length - name, match, fault))
            return true;
        fault->at += name;
        return false;
    }
    return parse_error_set(fault, 0, "match %s is none of source:ADDR/BITS, magic:HEX and key:NAME",
                           quoted(text, length, given));
}
