#include "collector/receive/inherited_source.h"

#include <string.h>

const char *inherited_source_refuse(const struct listener_config *listener)
{
    if (listener->interface != NULL || listener->group_source.family != ADDRESS_NONE)
        return "interface= and source= do not apply to inherited sockets: the process that bound "
               "them chose what they receive";
    if (listener->id != NULL)
        return "id= does not apply to inherited sockets: fd:NAME has their name";
    if (listener->spread)
        return "spread= does not apply to inherited sockets: the process that bound them chose how "
               "datagrams are divided among them";
    return listener->ipv6_only
               ? "ipv6_only does not apply to inherited sockets; with systemd write "
                 "BindIPv6Only=ipv6-only in the unit"
               : NULL;
}

bool inherited_source_conflict(const struct listener_config *a, const struct listener_config *b)
{
    return strcmp(a->place, b->place) == 0;
}
