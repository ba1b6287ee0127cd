#include "collector/program/sandbox_needs.h"

#include <stdlib.h>
#include <string.h>

#include "collector/config/key_table.h"
#include "collector/config/provenance.h"
#include "collector/contract/destination.h"
#include "collector/contract/source.h"
#include "collector/program/sandbox_files.h"
#include "collector/text/copy.h"
#include "collector/text/text.h"

#define PORT_DNS   53 /* DNS over TCP, for answers that do not fit into a datagram */
#define PORT_HTTP  80
#define PORT_HTTPS 443

const char *sandbox_needs_obstacle(const struct config *config)
{
    for (size_t i = 0; i < config->sink_count; i++) {
        const struct sink_config *sink = &config->sinks[i];
        if (sink->destination->place_is == PLACE_COMMAND && sandbox_is_inherited)
            return "a command: sink runs a program, which would be in the sandbox, too";
        if ((sink->destination->keys & DESTINATION_KEYS_KAFKA) != 0 && sandbox_is_inherited &&
            sandbox_files_use_kerberos(&sink->settings.broker))
            return "a kafka: sink logs in by Kerberos, for which its library runs kinit";
    }
    return NULL;
}

/* --- files ------------------------------------------------------------------------------------ */

/* Adds the files that keys with the value FILE name: certificates, keys, tokens. */
static bool add_key_files(struct sandbox_plan *plan, const void *settings, unsigned scopes)
{
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        if (key->type != SETTING_TEXT || (key->scopes & scopes) == 0 ||
            !same_text(key->syntax, "FILE"))
            continue;
        const char *path = *(char *const *)((const char *)settings + key->offset);
        if (path != NULL && !sandbox_plan_add_input(plan, path))
            return false;
    }
    return true;
}

/*
 * Adds the folder of a path. The path may have fields such as %Y; only the part before the first
 * field is used.
 */
static bool add_file_set(struct sandbox_plan *plan, const char *path)
{
    char *start = text_copy(path, strcspn(path, "%"));
    bool added = start != NULL && sandbox_plan_add_output(plan, start);
    free(start);
    return added;
}

static bool add_schemas(struct sandbox_plan *plan, const struct listener_config *listener)
{
    for (size_t i = 0; i < listener->schema_count; i++) {
        const struct schema_config *schema = &listener->schemas[i];
        if (!schema->from_file)
            continue;
        bool is_set = text_ends(schema->source, strlen(schema->source), ".desc");
        if (!sandbox_plan_add_input(plan, schema->source) ||
            (!is_set && (!sandbox_files_add_imports(plan, schema->source) ||
                         !sandbox_plan_add_program(plan, "protoc"))))
            return false;
    }
    return true;
}

static bool add_config_files(struct sandbox_plan *plan, const struct config *config)
{
    for (size_t i = 0; config->provenance != NULL && i < config->provenance->file_count; i++)
        if (!sandbox_plan_add_input(plan, config->provenance->files[i]))
            return false;
    return true;
}

/* --- ports ------------------------------------------------------------------------------------ */

static void add_port(struct sandbox_ports *ports, uint16_t port)
{
    for (size_t i = 0; i < ports->count; i++)
        if (ports->list[i] == port)
            return;
    if (ports->count == SANDBOX_PORTS_MOST)
        ports->any = true;
    else
        ports->list[ports->count++] = port;
}

/* Returns the port in "//HOST:PORT/PATH", or the default port of the scheme. */
static uint16_t url_port(const struct sink_config *sink)
{
    const char *host = sink->path + strspn(sink->path, "/");
    const char *end = host + strcspn(host, "/?#");
    const char *colon = end;
    while (colon > host && colon[-1] >= '0' && colon[-1] <= '9')
        colon--;
    if (colon > host && colon < end && colon[-1] == ':')
        return (uint16_t)strtoul(colon, NULL, 10);
    return same_text(sink->destination->scheme, "http") ? PORT_HTTP : PORT_HTTPS;
}

/*
 * Adds the ports to which a delivery connects. A Kafka or NATS server names other servers, whose
 * ports are not known, so any port may be needed.
 */
static void add_connections(struct sandbox_plan *plan, const struct sink_config *sink)
{
    if (sink->destination->takes != TAKES_BLOCKS)
        return;
    plan->connects = true;
    plan->masks_signals |= (sink->destination->keys & DESTINATION_KEYS_KAFKA) != 0;
    if ((sink->destination->keys & DESTINATION_KEYS_HTTP) == 0) {
        plan->connect.any = true;
        return;
    }
    add_port(&plan->connect, url_port(sink));
    add_port(&plan->connect, PORT_DNS);
}

/* --- listeners and sinks ---------------------------------------------------------------------- */

static bool add_listener(struct sandbox_plan *plan, const struct listener_config *listener)
{
    const struct source_ops *source = listener->source;
    if (source->place == PLACE_ADDRESS && (source->keys & SOURCE_KEYS_TCP) != 0)
        add_port(&plan->listen, listener->address.port);
    bool added = true;
    if (source->place == PLACE_PATH)
        added = source->ends ? sandbox_plan_add_input(plan, listener->place)
                             : sandbox_plan_add_output(plan, listener->place);
    if (listener->seal_state != NULL && !sandbox_plan_add_output(plan, listener->seal_state))
        return false;
    return added && add_schemas(plan, listener) &&
           add_key_files(plan, listener, KEY_OF_ANY_LISTENER);
}

static bool add_sink(struct sandbox_plan *plan, const struct sink_config *sink)
{
    const char *spill = sink->settings.delivery.spill;
    add_connections(plan, sink);
    plan->raw_sockets |= sink->settings.relay.keep_source;
    plan->runs_programs |= sink->destination->place_is == PLACE_COMMAND;
    if (sink->destination->place_is == PLACE_FILES && !add_file_set(plan, sink->path))
        return false;
    if (spill != NULL && !sandbox_plan_add(plan, spill, SANDBOX_WRITE))
        return false;
    return sandbox_files_add_named(plan, &sink->settings.broker) &&
           add_key_files(plan, sink, KEY_OF_ANY_SINK & ~KEY_OF_OWN);
}

/* Adds the socket of --metrics, and its token, which a reload reads again. */
static bool add_metrics(struct sandbox_plan *plan, const struct config_access *access)
{
    return (access->metrics.path[0] == '\0' ||
            sandbox_plan_add_output(plan, access->metrics.path)) &&
           (access->metrics_token_file == NULL ||
            sandbox_plan_add_input(plan, access->metrics_token_file));
}

/* Adds the socket of --control. An address that is not "unix:PATH" has no file. */
static bool add_control(struct sandbox_plan *plan, const char *address)
{
    static const char scheme[] = "unix:";
    if (address == NULL || strncmp(address, scheme, sizeof scheme - 1) != 0)
        return true;
    return sandbox_plan_add_output(plan, address + sizeof scheme - 1);
}

bool sandbox_needs_find(const struct config *config, struct sandbox_plan *plan)
{
    for (size_t i = 0; i < config->listener_count; i++)
        if (!add_listener(plan, &config->listeners[i]))
            return false;
    for (size_t i = 0; i < config->sink_count; i++)
        if (!add_sink(plan, &config->sinks[i]))
            return false;
    if (config->dead_letter.path != NULL &&
        !sandbox_plan_add_output(plan, config->dead_letter.path))
        return false;
    return add_control(plan, config->access.control) && add_metrics(plan, &config->access) &&
           add_config_files(plan, config) && sandbox_plan_add_system(plan);
}
