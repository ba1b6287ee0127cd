#include "collector/receive/inherited_source.h"

#include <string.h>

const char *inherited_source_refuse(const struct listener_config *listener)
{
    if (listener->interface != NULL || listener->group_source.family != ADDRESS_NONE)
        return "interface= and source= are for sockets that are bound here; who bound these chose "
               "what they receive";
    if (listener->spread)
        return "spread= is for sockets that are bound here; who bound these decided how datagrams "
               "are divided among them";
    return listener->ipv6_only ? "ipv6_only is for a socket that is bound here; with systemd write "
                                 "BindIPv6Only=ipv6-only in its unit"
                               : NULL;
}

bool inherited_source_conflict(const struct listener_config *a, const struct listener_config *b)
{
    return strcmp(a->place, b->place) == 0;
}
