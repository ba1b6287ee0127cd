/* Implements dtls://ADDR:PORT: encrypted datagrams. Each socket has a table of sessions. */
#include "collector/base/rule.h"
#include "collector/contract/schema_match.h"
#include "collector/receive/bound_sockets.h"
#include "collector/receive/bound_source.h"
#include "collector/receive/dtls.h"
#include "collector/receive/dtls_source.h"
#include "collector/receive/socket_source.h"
#include "collector/receive/sources.h"

/* --- settings --------------------------------------------------------------------------------- */

static bool wants_names(const struct listener_config *listener)
{
    for (size_t i = 0; i < listener->schema_count; i++)
        if (listener->schemas[i].match.kind == MATCH_KEY)
            return true;
    return false;
}

static const char *dtls_refuse_keys(const struct listener_config *listener)
{
    if ((listener->cert == NULL) != (listener->key == NULL))
        return "cert=FILE and key=FILE belong together";
    if (listener->cert == NULL && listener->keys == NULL)
        return "dtls needs cert=FILE and key=FILE, or keys=FILE with pre-shared keys";
    if (listener->client_ca != NULL && listener->cert == NULL)
        return "client_ca= needs cert= and key=";
    if (listener->keys != NULL && listener->cert != NULL && listener->client_ca == NULL)
        return "keys= and cert= together need client_ca=: otherwise clients without a key could "
               "send";
    if (wants_names(listener) && listener->keys == NULL && listener->client_ca == NULL)
        return "match=key: needs client_ca= or keys=, which give clients their names";
    return NULL;
}

static const char *dtls_refuse(const struct listener_config *listener)
{
    if (address_is_multicast(&listener->address))
        return "a multicast group cannot have sessions";
    if (listener->id != NULL || listener->group_source.family != ADDRESS_NONE)
        return "id= and source= are for multicast groups, which cannot have sessions";
    if (listener->ipv6_only && listener->address.family != ADDRESS_IPV6)
        return "ipv6_only needs an IPv6 address";
    if (listener->spread)
        return "spread=datagram would separate the records of a session";
    return dtls_refuse_keys(listener);
}

static int dtls_check(const struct listener_config *listener, struct error *error)
{
    struct error why;
    if (dtls_functions == NULL)
        error_set(&why, EXIT_CODE_CONFIG, "this program was built without OpenSSL");
    else if (dtls_functions->load(&why) == 0)
        return socket_source_check(listener, error);
    error_set(error, why.code, "%s: %s", listener->name, why.text);
    return -1;
}

static int make_settings(const struct listener_config *listener, struct dtls_settings **settings,
                         struct error *error)
{
    const struct dtls_options options = {.cert = listener->cert,
                                         .key = listener->key,
                                         .client_ca = listener->client_ca,
                                         .keys = listener->keys,
                                         .idle_ns = (int64_t)listener->idle_timeout};
    struct error why;
    if (dtls_functions->make(&options, settings, &why) == 0)
        return 0;
    error_set(error, why.code, "%s: %s", listener->name, why.text);
    return -1;
}

static int dtls_probe(const struct listener_config *listener, struct error *error)
{
    struct dtls_settings *settings;
    if (make_settings(listener, &settings, error) != 0)
        return -1;
    dtls_functions->free(settings);
    return 0;
}

static void use_settings(struct source *source, struct dtls_settings *settings)
{
    source->dtls = settings;
    source->listener.dtls = settings;
}

void dtls_source_keep(struct source *source)
{
    if (source->dtls_before == NULL)
        return;
    dtls_functions->free(source->dtls_before);
    source->dtls_before = NULL;
}

void dtls_source_release(struct source *source)
{
    dtls_source_keep(source);
    if (source->dtls == NULL)
        return;
    dtls_functions->free(source->dtls);
    use_settings(source, NULL);
}

/* --- the listener ----------------------------------------------------------------------------- */

static int dtls_open(struct source *source, const struct source_host *host, struct error *error)
{
    struct dtls_settings *settings;
    dtls_source_release(source);
    if (make_settings(source->config, &settings, error) != 0)
        return -1;
    use_settings(source, settings);
    source->listener.sessions = source->config->sessions;
    source->listener.sessions_per_address = source->config->sessions_per_address;
    return bound_sockets_open(source, host, error);
}

/* Returns a changed key that an open listener cannot follow (its tables have a fixed size). */
static const char *dtls_fixed_key(const struct listener_config *from,
                                  const struct listener_config *to)
{
    if (from->sessions != to->sessions)
        return "sessions";
    if (from->sessions_per_address != to->sessions_per_address)
        return "sessions_per_address";
    return socket_source_fixed_key(from, to);
}

/* Reads the files again. Existing sessions keep the settings with which they began. */
static int dtls_change(struct source *source, const struct source_host *host,
                       const struct listener_config *to, bool keeps_packets, struct error *error)
{
    struct dtls_settings *settings;
    RULE(source->dtls_before == NULL, "a change is kept or undone before the next one");
    if (make_settings(to, &settings, error) != 0)
        return -1;
    if (socket_source_change(source, host, to, keeps_packets, error) != 0) {
        dtls_functions->free(settings);
        return -1;
    }
    source->dtls_before = source->dtls;
    use_settings(source, settings);
    return 0;
}

/*
 * Undoes the last change. A change that failed has made no settings, so there is nothing to
 * undo.
 */
static void dtls_undo(struct source *source, const struct source_host *host,
                      const struct listener_config *to, bool keeps_packets)
{
    if (source->dtls_before != NULL) {
        dtls_functions->free(source->dtls);
        use_settings(source, source->dtls_before);
        source->dtls_before = NULL;
    }
    socket_source_undo(source, host, to, keeps_packets);
}

const struct source_ops source_dtls = {
    .scheme = "dtls",
    .syntax = "dtls://ADDR:PORT",
    .kind = "dtls",
    .place = PLACE_ADDRESS,
    .no_place = "\"//\" is missing; write dtls://ADDR:PORT",
    .keys = SOURCE_KEYS_SOCKET | SOURCE_KEYS_DTLS,
    .refuse = dtls_refuse,
    .conflict = bound_source_conflict,
    .check = dtls_check,
    .probe = dtls_probe,
    .sockets = bound_sockets_count,
    .open = dtls_open,
    .announce = bound_sockets_announce,
    .fixed_key = dtls_fixed_key,
    .change = dtls_change,
    .undo = dtls_undo,
    .remove = socket_source_remove,
};
