#include "collector/contract/schema_match.h"

#include <string.h>

bool network_holds(const struct address *network, unsigned prefix, const struct address *address)
{
    if (network->family != address->family)
        return false;
    size_t whole = prefix / 8;
    unsigned rest = prefix % 8;
    if (memcmp(network->bytes, address->bytes, whole) != 0)
        return false;
    if (rest == 0)
        return true;
    unsigned mask = 0xff00u >> rest & 0xff;
    return ((network->bytes[whole] ^ address->bytes[whole]) & mask) == 0;
}

bool schema_match_takes(const struct schema_match *match, const struct address *source,
                        const uint8_t *data, size_t size)
{
    switch (match->kind) {
    case MATCH_SOURCE:
        return network_holds(&match->network, match->prefix, source);
    case MATCH_MAGIC:
        return size >= match->magic_size && memcmp(data, match->magic, match->magic_size) == 0;
    case MATCH_ALL:
        break;
    }
    return true;
}
