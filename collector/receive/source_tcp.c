/*
 * tcp://ADDR:PORT. Connections that are served by the listener's own threads. Senders wait if the
 * queues are full.
 */
#include <string.h>

#include "collector/contract/schema.h"
#include "collector/framing/frame_streams.h"
#include "collector/framing/stream_frame.h"
#include "collector/ledger/ledger.h"
#include "collector/log/log.h"
#include "collector/platform/control.h"
#include "collector/platform/notifier.h"
#include "collector/receive/bound_source.h"
#include "collector/receive/channel_tls.h"
#include "collector/receive/inherited_source.h"
#include "collector/receive/sources.h"
#include "collector/receive/stream_server.h"
#include "collector/text/text.h"

/* Completes the configuration: the default framing is that of the schema's own protocol. */
static void tcp_complete(struct listener_config *listener)
{
    for (size_t i = 0; i < listener->schema_count; i++) {
        struct schema_config *schema = &listener->schemas[i];
        if (schema->framing == FRAMING_DATAGRAM)
            schema->framing = schema->ops->stream_framing;
    }
}

static const char *tcp_config_fault(const struct listener_config *listener)
{
    const struct schema_config *first = &listener->schemas[0];
    if (address_is_multicast(&listener->address))
        return "a multicast address cannot take connections";
    if (listener->tls && (listener->cert == NULL || listener->key == NULL))
        return "tls=on needs cert=FILE and key=FILE";
    if (!listener->tls &&
        (listener->cert != NULL || listener->key != NULL || listener->client_ca != NULL))
        return "cert=, key= and client_ca= need tls=on";
    if (listener->ipv6_only && listener->address.family != ADDRESS_IPV6)
        return "ipv6_only needs an IPv6 address";
    for (size_t i = 0; i < listener->schema_count; i++) {
        if (!stream_frame_can(listener->schemas[i].framing))
            return "a stream needs a framing= that marks the ends of messages: length32, length16, "
                   "delimited, frame-streams or cisco-mdt";
        if (listener->schemas[i].framing != first->framing || listener->schemas[i].header != 0)
            return "all schemas of a stream need the same framing=, without header=";
    }
    if (listener->content_type == NULL)
        return NULL;
    if (first->framing != FRAMING_FRAME_STREAMS)
        return "content_type= needs framing=frame-streams";
    return strlen(listener->content_type) <= FRAME_STREAMS_TYPE_MOST
               ? NULL
               : "content_type= has at most 256 bytes";
}

static int name_listener(const struct listener_config *listener, const struct error *why,
                         struct error *error)
{
    error_set(error, why->code, "%s: %s", listener->name, why->text);
    return -1;
}

static int load_tls(struct error *error)
{
    if (tls_channels != NULL)
        return tls_channels->load(error);
    error_set(error, EXIT_CODE_CONFIG, "tls=on: this program was built without OpenSSL");
    return -1;
}

static int tcp_check(const struct listener_config *listener, struct error *error)
{
    struct error why;
    if (notifier_choose_for_streams(&why) == NULL || (listener->tls && load_tls(&why) != 0))
        return name_listener(listener, &why, error);
    return 0;
}

static size_t tcp_threads(const struct listener_config *listener)
{
    return listener->receivers;
}

static size_t tcp_longest(const struct listener_config *listener)
{
    return listener->max_frame + STREAM_FRAME_HEADER_MOST;
}

static size_t tls_memory(const struct listener_config *listener, size_t connections)
{
    return listener->tls && tls_channels != NULL ? tls_channels->memory(connections) : 0;
}

static size_t tcp_memory(const struct listener_config *listener)
{
    return stream_server_memory(listener->receivers, listener->max_connections,
                                listener->max_frame) +
           tls_memory(listener, listener->max_connections);
}

static const struct schema_ops *tcp_answering(const struct listener_config *listener)
{
    for (size_t i = 0; i < listener->schema_count; i++)
        if (listener->schemas[i].ops->answer != NULL)
            return listener->schemas[i].ops;
    return NULL;
}

static struct stream_limits tcp_limits(const struct listener_config *config)
{
    return (struct stream_limits){
        .answering = tcp_answering(config),
        .max_frame = config->max_frame,
        .max_connections = config->max_connections,
        .max_per_address = config->max_per_address,
        .idle_ns = (int64_t)config->idle_timeout,
        .frame_ns = (int64_t)config->frame_timeout,
        .coalesce_ns = (int64_t)config->coalesce,
    };
}

/* Makes the kind of channel for this many connections; the error names the listener. */
static int tcp_make_kind(struct channel_kind *kind, const struct listener_config *listener,
                         size_t connections, struct error *error)
{
    const struct channel_tls_options options = {.cert = listener->cert,
                                                .key = listener->key,
                                                .client_ca = listener->client_ca,
                                                .connections = connections};
    struct error why;
    *kind = (struct channel_kind){.ops = &channel_plain};
    if (listener->tls &&
        (load_tls(&why) != 0 || tls_channels->make_kind(&options, kind, &why) != 0))
        return name_listener(listener, &why, error);
    kind->made_of = listener;
    return 0;
}

/* Checks that the listener's certificates can be used. */
static int tcp_probe(const struct listener_config *listener, struct error *error)
{
    struct channel_kind kind;
    int result = tcp_make_kind(&kind, listener, listener->max_connections, error);
    if (result == 0)
        channel_kind_end(&kind);
    return result;
}

static int tcp_create(void **producer, struct source *source, struct ingest_thread *ingests,
                      const struct source_host *host, struct error *error)
{
    const struct listener_config *config = source->config;
    struct stream_server *server = NULL;
    struct channel_kind kind;
    if (tcp_make_kind(&kind, config, config->max_connections, error) != 0)
        return -1;
    const struct stream_server_options options = {
        .listener = &source->listener,
        .threads = ingests,
        .thread_count = tcp_threads(config),
        .address = config->address,
        .ipv6_only = config->ipv6_only,
        .inherited = config->source == &source_inherited_streams ? config->place : NULL,
        .framing = config->schemas[0].framing,
        .content_type = config->content_type,
        .kind = kind,
        .limits = tcp_limits(config),
        .received = host->received,
        .finished = host->finished,
        .context = host->context,
        .before_receive = host->before_receive,
        .hook_context = host->hook_context,
    };
    int result = stream_server_create(&server, &options, &source->address, error);
    *producer = server;
    if (result != 0 || options.inherited != NULL || config->address.port != 0 ||
        bound_source_name_by_port(source, host->ledger) == 0)
        return result;
    return error_no_memory(error);
}

static int tcp_start(void *producer, struct error *error)
{
    return stream_server_start(producer, error);
}

static void tcp_stop(void *producer, int64_t deadline_ns)
{
    stream_server_stop(producer, deadline_ns);
}

static void tcp_leave(void *producer, int64_t deadline_ns)
{
    stream_server_leave(producer, deadline_ns);
}

static bool tcp_has_finished(const void *producer)
{
    return stream_server_has_finished(producer);
}

static bool tcp_is_alive(void *producer)
{
    return stream_server_is_alive(producer);
}

static void tcp_ask_to_quiesce(void *producer)
{
    stream_server_ask_to_quiesce(producer);
}

static bool tcp_is_quiescent(const void *producer)
{
    return stream_server_is_quiescent(producer);
}

static bool tcp_is_awake(const void *producer)
{
    return stream_server_is_awake(producer);
}

static void tcp_resume(void *producer)
{
    stream_server_resume(producer);
}

/*
 * Returns a changed key that open connections depend on: framing, or the address that they are
 * connected to.
 */
static const char *tcp_fixed_key(const struct listener_config *from,
                                 const struct listener_config *to)
{
    if (from->receivers != to->receivers)
        return "receivers";
    if (from->ipv6_only != to->ipv6_only)
        return "ipv6_only";
    if (from->tls != to->tls)
        return "tls";
    if (from->schemas[0].framing != to->schemas[0].framing)
        return "framing";
    return same_text(from->content_type, to->content_type) ? NULL : "content_type";
}

static int tcp_change(void *producer, const struct listener_config *to, struct error *error)
{
    const struct stream_limits limits = tcp_limits(to);
    struct channel_kind kind = {.ops = NULL};
    if (!stream_server_keeps_kind(producer, to) &&
        tcp_make_kind(&kind, to, stream_server_slots_after(producer, &limits), error) != 0)
        return -1;
    if (stream_server_change(producer, &limits, &kind, error) == 0)
        return 0;
    channel_kind_end(&kind);
    return -1;
}

static size_t tcp_connections(const void *producer)
{
    return stream_server_connections(producer);
}

static size_t tcp_memory_after(const void *producer, const struct listener_config *to)
{
    const struct stream_limits limits = tcp_limits(to);
    return stream_server_memory_after(producer, &limits) +
           tls_memory(to, stream_server_slots_after(producer, &limits));
}

static void tcp_join(void *producer)
{
    stream_server_join(producer);
}

static void tcp_destroy(void *producer)
{
    stream_server_destroy(producer);
}

static const struct producer_ops server_ops = {
    .start = tcp_start,
    .stop = tcp_stop,
    .leave = tcp_leave,
    .has_finished = tcp_has_finished,
    .is_alive = tcp_is_alive,
    .ask_to_quiesce = tcp_ask_to_quiesce,
    .is_quiescent = tcp_is_quiescent,
    .is_awake = tcp_is_awake,
    .resume = tcp_resume,
    .change = tcp_change,
    .connections = tcp_connections,
    .memory_after = tcp_memory_after,
    .join = tcp_join,
    .destroy = tcp_destroy,
};

static void tcp_announce(const struct source *source, const struct source_host *host)
{
    (void)host;
    struct error error;
    const struct notifier_backend *backend = notifier_choose_for_streams(&error);
    log_naming(LOG_INFO, LOG_OF_LISTENER, source->listener.name,
               "listening on %s for %s%s, %llu threads, by %s, process %lu", source->listener.name,
               source->schema_names, source->config->tls ? " over TLS" : "",
               (unsigned long long)source->config->receivers,
               backend != NULL ? backend->name : "nothing", control_process_id());
}

/* The operations of a source of connections, with bound or with inherited sockets. */
#define STREAM_SOURCE                                                                              \
    .kind = "tcp", .keys = SOURCE_KEYS_STREAM, .waits = true, .complete = tcp_complete,            \
    .check = tcp_check, .probe = tcp_probe, .announce = tcp_announce, .fixed_key = tcp_fixed_key,  \
    .producer = &server_ops, .threads = tcp_threads, .longest = tcp_longest, .memory = tcp_memory, \
    .create = tcp_create, .own_thread = "its connections are served by threads of their own"

const struct source_ops source_tcp = {
    .scheme = "tcp",
    .syntax = "tcp://ADDR:PORT",
    .place = PLACE_ADDRESS,
    .no_place = "\"//\" is missing; write tcp://ADDR:PORT",
    .refuse = tcp_config_fault,
    .conflict = bound_source_conflict,
    STREAM_SOURCE,
};

/* Checks fd:NAME for sockets that take connections (source_inherited.c). */
static const char *inherited_tcp_fault(const struct listener_config *listener)
{
    const char *why = inherited_source_refuse(listener);
    return why != NULL ? why : tcp_config_fault(listener);
}

const struct source_ops source_inherited_streams = {
    .scheme = "fd",
    .syntax = "fd:NAME",
    .place = PLACE_NAME,
    .refuse = inherited_tcp_fault,
    .conflict = inherited_source_conflict,
    STREAM_SOURCE,
};
