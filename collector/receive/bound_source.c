#include "collector/receive/bound_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bound_source_conflict(const struct listener_config *a, const struct listener_config *b)
{
    return a->address.port != 0 && address_equal(&a->address, &b->address);
}

int bound_source_name_by_port(struct source *source, struct ledger *ledger)
{
    const char *scheme = source->config->source->scheme;
    size_t size = strlen(scheme) + sizeof "://" + ADDRESS_TEXT_SIZE;
    char *name = malloc(size);
    if (name == NULL)
        return -1;
    int written = snprintf(name, size, "%s://", scheme);
    address_format(&source->address, name + written);
    free(source->name);
    source->name = name;
    source->listener.name = name;
    return ledger_rename_listener(ledger, (int)source->listener.index, name) ? 0 : -1;
}
