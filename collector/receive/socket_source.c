#include "collector/receive/socket_source.h"

#include "collector/ledger/ledger.h"
#include "collector/log/log.h"
#include "collector/platform/control.h"
#include "collector/text/text.h"

/* --- abilities of this system ----------------------------------------------------------------- */

static int check_filter(const struct listener_config *listener, struct error *error)
{
    struct error why;
    if (!listener->kernel_filter || udp_socket_check_filter(listener->senders, &why) == 0)
        return 0;
    error_set(error, why.code, "%s: %s", listener->name, why.text);
    return -1;
}

static int check_spread(const struct listener_config *listener, struct error *error)
{
    struct error why;
    if (!listener->spread || udp_socket_check_spread(&why) == 0)
        return 0;
    error_set(error, why.code, "%s: %s", listener->name, why.text);
    return -1;
}

int socket_source_check(const struct listener_config *listener, struct error *error)
{
    const char *why = NULL;
    if (listener->gro && !udp_socket_can_gro)
        why = "gro=on: this system does not combine datagrams";
    else if (listener->busy_poll != 0 && !udp_socket_can_busy_poll)
        why = "busy_poll: this system does not support it";
    else if (address_is_multicast(&listener->address) && !udp_socket_can_join)
        why = "multicast groups are only supported on Linux";
    else if (listener->interface != NULL && !udp_socket_can_join)
        why = "interface=: only supported on Linux";
    if (why == NULL)
        return check_spread(listener, error) == 0 ? check_filter(listener, error) : -1;
    error_set(error, EXIT_CODE_CONFIG, "%s: %s", listener->name, why);
    return -1;
}

/* --- opening ---------------------------------------------------------------------------------- */

struct receiver_socket socket_source_describe(struct source *source)
{
    const struct listener_config *config = source->config;
    bool any_address =
        config->address.family == ADDRESS_NONE || address_is_wildcard(&config->address);
    bool answers = (config->source->keys & SOURCE_KEYS_DTLS) != 0;
    return (struct receiver_socket){
        .listener = &source->listener,
        .options = {.address = config->address,
                    .ipv6_only = config->ipv6_only,
                    .share_port = config->source->sockets(config) > 1,
                    .share_group = config->id != NULL,
                    .spread_over = config->spread ? (unsigned)config->receivers : 0,
                    .receive_buffer = config->receive_buffer,
                    .max_datagram = config->max_datagram,
                    .wants_destination = (source->listener.keeps_packets || answers) && any_address,
                    .gro = config->gro,
                    .busy_poll_us = (unsigned)((config->busy_poll + 999) / 1000),
                    .only_from = config->kernel_filter ? config->senders : NULL,
                    .interface = config->interface,
                    .group_source = config->group_source},
        .group_lost = &source->group_lost,
        .coalesce_ns = (int64_t)config->coalesce,
    };
}

int socket_source_add(struct source *source, const struct source_host *host, size_t number,
                      struct receiver_socket *socket, struct error *error)
{
    size_t at = source_receiver(source, number, host->receiver_count);
    socket->counters = ledger_ingest_block(host->ledger, (int)source->listener.index);
    if (socket->counters == NULL) {
        return error_no_memory(error);
    }
    return receiver_add_socket(host->receivers[at], socket, &source->address, &source->granted,
                               error);
}

void socket_source_announce(const struct source *source, const struct source_host *host)
{
    const struct listener_config *config = source->config;
    const char *name = source->listener.name;
    log_naming(LOG_INFO, LOG_OF_LISTENER, name,
               "listening on %s for %s, receive buffer %zu KiB, by %s, process %lu", name,
               source->schema_names, source->granted / 1024, host->notifier, control_process_id());
    if (source->granted < config->receive_buffer)
        log_about(LOG_WARNING, LOG_OF_LISTENER, name,
                  "receive buffer: requested %llu KiB, granted %zu KiB; %s",
                  (unsigned long long)config->receive_buffer / 1024, source->granted / 1024,
                  udp_socket_buffer_advice);
}

/* --- changes of a running source -------------------------------------------------------------- */

const char *socket_source_fixed_key(const struct listener_config *from,
                                    const struct listener_config *to)
{
    if (from->receivers != to->receivers)
        return "receivers";
    if (from->spread != to->spread)
        return "spread";
    if (from->ipv6_only != to->ipv6_only)
        return "ipv6_only";
    if (!same_text(from->interface, to->interface))
        return "interface";
    if (!address_same_host(&from->group_source, &to->group_source))
        return "source";
    if (listener_has_segments(from) != listener_has_segments(to) ||
        listener_is_sealed(from) != listener_is_sealed(to))
        return "framing";
    if (!same_text(from->seal_state, to->seal_state))
        return "state";
    if (listener_has_segments(from) && from->segment_memory != to->segment_memory)
        return "segment_memory";
    if (listener_has_segments(from) && from->segment_timeout != to->segment_timeout)
        return "segment_timeout";
    return from->gro != to->gro ? "gro" : NULL;
}

static bool differs(const struct receiver_socket *a, const struct receiver_socket *b)
{
    return a->options.receive_buffer != b->options.receive_buffer ||
           a->options.max_datagram != b->options.max_datagram ||
           a->options.wants_destination != b->options.wants_destination ||
           a->options.busy_poll_us != b->options.busy_poll_us ||
           a->options.only_from != b->options.only_from || a->coalesce_ns != b->coalesce_ns;
}

int socket_source_change(struct source *source, const struct source_host *host,
                         const struct listener_config *to, bool keeps_packets, struct error *error)
{
    struct receiver_socket before = socket_source_describe(source);
    source->config = to;
    source->listener.keeps_packets = keeps_packets;
    struct receiver_socket after = socket_source_describe(source);
    if (!differs(&before, &after))
        return 0;
    for (size_t i = 0; i < host->receiver_count; i++)
        if (receiver_change_sockets(host->receivers[i], &after, &source->granted, error) != 0)
            return -1;
    return 0;
}

void socket_source_undo(struct source *source, const struct source_host *host,
                        const struct listener_config *to, bool keeps_packets)
{
    struct error ignored;
    socket_source_change(source, host, to, keeps_packets, &ignored);
}

void socket_source_remove(const struct source *source, const struct source_host *host, bool drains)
{
    for (size_t i = 0; i < host->receiver_count; i++)
        receiver_remove_sockets(host->receivers[i], &source->listener, drains);
}
