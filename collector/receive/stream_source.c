#include "collector/receive/stream_source.h"

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
#include "collector/receive/stream_server.h"
#include "collector/text/text.h"

/* Sets the framing that was not given to that of the schema's own protocol. */
void stream_source_complete(struct listener_config *listener)
{
    for (size_t i = 0; i < listener->schema_count; i++) {
        struct schema_config *schema = &listener->schemas[i];
        if (schema->framing == FRAMING_DATAGRAM)
            schema->framing = schema->ops->stream_framing;
    }
}

const char *stream_source_refuse(const struct listener_config *listener)
{
    const struct schema_config *first = &listener->schemas[0];
    for (size_t i = 0; i < listener->schema_count; i++) {
        if (!stream_frame_can(listener->schemas[i].framing))
            return "a stream needs a framing= that marks the ends of messages: length32, length16, "
                   "length32-le, length16-le, delimited, frame-streams or cisco-mdt";
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

int stream_source_check(const struct listener_config *listener, struct error *error)
{
    struct error why;
    if (notifier_choose_for_streams(&why) == NULL || (listener->tls && load_tls(&why) != 0))
        return name_listener(listener, &why, error);
    return 0;
}

size_t stream_source_threads(const struct listener_config *listener)
{
    return listener->receivers;
}

size_t stream_source_longest(const struct listener_config *listener)
{
    return listener->max_frame + STREAM_FRAME_HEADER_MOST;
}

static size_t tls_memory(const struct listener_config *listener, size_t connections)
{
    return listener->tls && tls_channels != NULL ? tls_channels->memory(connections) : 0;
}

size_t stream_source_memory(const struct listener_config *listener)
{
    return stream_server_memory(listener->receivers, listener->max_connections,
                                listener->max_frame) +
           tls_memory(listener, listener->max_connections);
}

static const struct schema_ops *producer_answering(const struct listener_config *listener)
{
    for (size_t i = 0; i < listener->schema_count; i++)
        if (listener->schemas[i].ops->answer != NULL)
            return listener->schemas[i].ops;
    return NULL;
}

static struct stream_limits producer_limits(const struct listener_config *config)
{
    return (struct stream_limits){
        .answering = producer_answering(config),
        .max_frame = config->max_frame,
        .max_connections = config->max_connections,
        .max_per_address = config->max_per_address,
        .idle_ns = (int64_t)config->idle_timeout,
        .frame_ns = (int64_t)config->frame_timeout,
        .coalesce_ns = (int64_t)config->coalesce,
    };
}

static struct local_access access_of(const struct listener_config *config)
{
    return (struct local_access){.mode = (unsigned)config->socket_mode,
                                 .owner = config->socket_owner};
}

/* Creates the kind of channel for this number of connections. The error names the listener. */
static int producer_make_kind(struct channel_kind *kind, const struct listener_config *listener,
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
    return 0;
}

int stream_source_probe(const struct listener_config *listener, struct error *error)
{
    struct channel_kind kind;
    int result = producer_make_kind(&kind, listener, listener->max_connections, error);
    if (result == 0)
        channel_kind_end(&kind);
    return result;
}

int stream_source_create(void **producer, struct source *source, struct ingest_thread *ingests,
                         const struct source_host *host, struct error *error)
{
    const struct listener_config *config = source->config;
    struct stream_server *server = NULL;
    struct channel_kind kind;
    if (producer_make_kind(&kind, config, config->max_connections, error) != 0)
        return -1;
    const struct stream_server_options options = {
        .listener = &source->listener,
        .threads = ingests,
        .thread_count = stream_source_threads(config),
        .address = config->address,
        .ipv6_only = config->ipv6_only,
        .inherited = config->source->place == PLACE_NAME ? config->place : NULL,
        .local = config->source->place == PLACE_PATH ? config->place : NULL,
        .access = access_of(config),
        .framing = config->schemas[0].framing,
        .content_type = config->content_type,
        .kind = kind,
        .limits = producer_limits(config),
        .received = host->received,
        .finished = host->finished,
        .context = host->context,
        .before_receive = host->before_receive,
        .hook_context = host->hook_context,
    };
    int result = stream_server_create(&server, &options, &source->address, error);
    *producer = server;
    if (result != 0 || config->source->place != PLACE_ADDRESS || config->address.port != 0 ||
        bound_source_name_by_port(source, host->ledger) == 0)
        return result;
    return error_no_memory(error);
}

static int producer_start(void *producer, struct error *error)
{
    return stream_server_start(producer, error);
}

static void producer_stop(void *producer, int64_t deadline_ns)
{
    stream_server_stop(producer, deadline_ns);
}

static void producer_leave(void *producer, int64_t deadline_ns)
{
    stream_server_leave(producer, deadline_ns);
}

static bool producer_has_finished(const void *producer)
{
    return stream_server_has_finished(producer);
}

static bool producer_is_alive(void *producer)
{
    return stream_server_is_alive(producer);
}

static void producer_ask_to_quiesce(void *producer)
{
    stream_server_ask_to_quiesce(producer);
}

static bool producer_is_quiescent(const void *producer)
{
    return stream_server_is_quiescent(producer);
}

static bool producer_is_awake(const void *producer)
{
    return stream_server_is_awake(producer);
}

static void producer_resume(void *producer)
{
    stream_server_resume(producer);
}

/* Returns a changed key on which open connections depend, or NULL. */
const char *stream_source_fixed_key(const struct listener_config *from,
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

static int producer_change(void *producer, const struct listener_config *to, struct error *error)
{
    const struct stream_limits limits = producer_limits(to);
    const struct local_access access = access_of(to);
    struct channel_kind kind;
    if (stream_server_set_access(producer, &access, error) != 0)
        return -1;
    if (producer_make_kind(&kind, to, stream_server_slots_after(producer, &limits), error) != 0)
        return -1;
    if (stream_server_change(producer, &limits, &kind, error) == 0)
        return 0;
    channel_kind_end(&kind);
    return -1;
}

static void producer_undo(void *producer, const struct listener_config *to)
{
    const struct stream_limits limits = producer_limits(to);
    const struct local_access access = access_of(to);
    struct error ignored;
    stream_server_set_access(producer, &access, &ignored);
    stream_server_undo(producer, &limits);
}

static size_t producer_connections(const void *producer)
{
    return stream_server_connections(producer);
}

static size_t producer_memory_after(const void *producer, const struct listener_config *to)
{
    const struct stream_limits limits = producer_limits(to);
    return stream_server_memory_after(producer, &limits) +
           tls_memory(to, stream_server_slots_after(producer, &limits));
}

static void producer_join(void *producer)
{
    stream_server_join(producer);
}

static void producer_destroy(void *producer)
{
    stream_server_destroy(producer);
}

const struct producer_ops stream_source_producer = {
    .start = producer_start,
    .stop = producer_stop,
    .leave = producer_leave,
    .has_finished = producer_has_finished,
    .is_alive = producer_is_alive,
    .ask_to_quiesce = producer_ask_to_quiesce,
    .is_quiescent = producer_is_quiescent,
    .is_awake = producer_is_awake,
    .resume = producer_resume,
    .change = producer_change,
    .undo = producer_undo,
    .connections = producer_connections,
    .memory_after = producer_memory_after,
    .join = producer_join,
    .destroy = producer_destroy,
};

void stream_source_announce(const struct source *source, const struct source_host *host)
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
