#include "collector/config/config.h"

#include <stdlib.h>
#include <string.h>

void config_free(struct config *config)
{
    for (size_t i = 0; i < config->listener_count; i++) {
        free(config->listeners[i].name);
        free(config->listeners[i].path);
    }
    for (size_t i = 0; i < config->sink_count; i++) {
        free(config->sinks[i].name);
        free(config->sinks[i].path);
    }
    free(config->listeners);
    free(config->sinks);
    *config = (struct config){0};
}

bool listener_configs_conflict(const struct listener_config *a, const struct listener_config *b)
{
    if (a->kind != LISTENER_UDP || b->kind != LISTENER_UDP || a->address.port == 0)
        return false;
    return a->address.family == b->address.family && a->address.port == b->address.port &&
           a->address.scope == b->address.scope &&
           memcmp(a->address.bytes, b->address.bytes, sizeof a->address.bytes) == 0;
}

bool sink_configs_conflict(const struct sink_config *a, const struct sink_config *b)
{
    return a->destination == b->destination && strcmp(a->path, b->path) == 0;
}
