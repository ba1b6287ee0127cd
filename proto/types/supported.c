/* Finds the messages that contain types of an unsupported edition. */
#include "proto/types/loader.h"

static const char *reason_inside(const struct message_definition *definition)
{
    for (size_t i = 0; i < definition->source_count; i++) {
        const struct message_type *inside = definition->fields[i].message;
        if (inside != NULL && inside->not_supported != NULL)
            return inside->not_supported;
    }
    return NULL;
}

void loader_spread_unsupported(const struct loader *loader)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (const struct message_definition *at = loader->messages; at != NULL; at = at->next) {
            if (at->type->not_supported != NULL)
                continue;
            at->type->not_supported = reason_inside(at);
            changed = changed || at->type->not_supported != NULL;
        }
    }
}
