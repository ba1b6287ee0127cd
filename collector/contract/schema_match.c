#include "collector/contract/schema_match.h"

#include <string.h>

#include "collector/base/networks.h"

bool schema_match_takes(const struct schema_match *match, const struct address *source,
                        const char *sender, const uint8_t *data, size_t size)
{
    switch (match->kind) {
    case MATCH_SOURCE:
        return network_holds(&match->network, match->prefix, source);
    case MATCH_MAGIC:
        return size >= match->magic_size && memcmp(data, match->magic, match->magic_size) == 0;
    case MATCH_KEY:
        return sender_name_equal(sender, match->key);
    case MATCH_ALL:
        break;
    }
    return true;
}
