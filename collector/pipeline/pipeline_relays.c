#include "collector/pipeline/pipeline_relays.h"

#include "collector/config/config.h"
#include "collector/contract/source.h"
#include "collector/platform/udp.h"

static bool receives(const struct listener_config *listener, const struct address *bound,
                     const struct address *target)
{
    if (bound->family == ADDRESS_NONE || bound->port != target->port)
        return false;
    if (address_same_host(bound, target))
        return true;
    bool takes_ipv4_too = bound->family == ADDRESS_IPV6 && !listener->ipv6_only;
    return address_is_wildcard(bound) && (bound->family == target->family || takes_ipv4_too) &&
           datagram_sender_is_local(target);
}

static int relay_refuse(const struct sink_config *sink, const struct address *target,
                        const struct listener_config *listener, struct error *error)
{
    char text[ADDRESS_TEXT_SIZE];
    address_format(target, text);
    error_set(error, EXIT_CODE_CONFIG,
              "%s: %s is the address of the listener %s: datagrams would loop endlessly",
              sink->name, text, listener->name);
    error_place(error, sink->written_at);
    return -1;
}

int pipeline_check_relays(const struct config *config, struct source *const *sources,
                          struct error *error)
{
    for (size_t i = 0; i < config->sink_count; i++) {
        const struct sink_config *sink = &config->sinks[i];
        for (size_t k = 0; k < sink->settings.relay.target_count * config->listener_count; k++) {
            const struct address *target =
                &sink->settings.relay.targets[k / config->listener_count];
            size_t number = k % config->listener_count;
            const struct listener_config *listener = &config->listeners[number];
            const struct address *bound =
                sources != NULL ? &sources[number]->address : &listener->address;
            if ((listener->source->keys & SOURCE_KEYS_SOCKET) != 0 &&
                receives(listener, bound, target))
                return relay_refuse(sink, target, listener, error);
        }
    }
    return 0;
}
