#include "collector/config/config.h"

#include <stdlib.h>
#include <string.h>

#include "collector/config/provenance.h"
#include "collector/contract/setting.h"
#include "collector/contract/source.h"
#include "collector/platform/file_system.h"
#include "collector/text/copy.h"

static void free_schema(struct schema_config *schema)
{
    free(schema->source);
    free(schema->message);
    free(schema->nested);
    free(schema->sequence);
    free(schema->sequence_key);
    free(schema->name);
    free(schema->value);
    free(schema->time);
    free(schema->labels);
}

static void free_listener(struct listener_config *listener)
{
    for (size_t i = 0; i < listener->schema_count; i++)
        free_schema(&listener->schemas[i]);
    free(listener->schemas);
    free(listener->name);
    free(listener->url);
    free(listener->written_at);
    free(listener->place);
    free(listener->socket_owner);
    free(listener->interface);
    free(listener->id);
    free(listener->content_type);
    free(listener->keys);
    free(listener->seal_state);
    free(listener->cert);
    free(listener->key);
    free(listener->client_ca);
    networks_free(listener->allow);
    networks_free(listener->deny);
    networks_free(listener->senders);
}

static void free_broker(struct broker_options *broker)
{
    free(broker->key.label);
    free(broker->properties);
    free(broker->kafka);
    free(broker->credentials);
}

/* Frees the texts of the keys that only this destination has. */
static void free_own(struct sink_config *sink)
{
    const struct destination_ops *to = sink->destination;
    if (to == NULL || to->own_keys == NULL)
        return;
    for (const struct setting *key = to->own_keys; key->name != NULL; key++)
        if (key->type == SETTING_TEXT)
            free(*(char **)(void *)(sink->settings.own + key->offset));
}

bool sink_config_needs_samples(const struct sink_config *sink, bool passes_on)
{
    const struct sink_settings *settings = &sink->settings;
    return (settings->encoder->needs_samples && !passes_on) ||
           settings->encoding.view == VIEW_SAMPLE || settings->encoding.limits.given != NULL ||
           sample_rules_given(&settings->encoding.rules) != NULL;
}

static bool default_value(struct listener_config *listener)
{
    for (size_t i = 0; i < listener->schema_count; i++) {
        struct schema_config *schema = &listener->schemas[i];
        if (!schema->from_file || schema->value != NULL)
            continue;
        schema->value = malloc(sizeof "*");
        if (schema->value == NULL)
            return false;
        memcpy(schema->value, "*", sizeof "*");
        schema->value_is_default = true;
    }
    return true;
}

bool config_default_values(struct config *config)
{
    bool needed = false;
    bool good = true;
    for (size_t i = 0; i < config->sink_count; i++)
        needed = needed || sink_config_needs_samples(&config->sinks[i], false);
    for (size_t i = 0; needed && good && i < config->listener_count; i++)
        good = default_value(&config->listeners[i]);
    return good;
}

bool config_default_owners(struct config *config)
{
    for (size_t i = 0; config->user != NULL && i < config->listener_count; i++) {
        struct listener_config *listener = &config->listeners[i];
        if ((listener->source->keys & SOURCE_KEYS_LOCAL) == 0 || listener->socket_owner != NULL)
            continue;
        listener->socket_owner = text_copy(config->user, strlen(config->user));
        if (listener->socket_owner == NULL)
            return false;
    }
    return true;
}

static bool writes_samples(const struct sink_settings *settings)
{
    enum sink_view view = settings->encoding.view;
    return view != VIEW_MESSAGE && view != VIEW_RECORD &&
           (!settings->encoder->binary || settings->encoder->needs_samples);
}

static uint64_t smaller_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void config_default_limits(struct config *config)
{
    for (size_t i = 0; i < config->sink_count; i++) {
        struct series_limits *limits = &config->sinks[i].settings.encoding.limits;
        if (!writes_samples(&config->sinks[i].settings))
            continue;
        if (limits->max_series == 0)
            limits->max_series = config->limits.max_series;
        if (limits->max_series == 0)
            continue;
        if (limits->max_per_sender == 0)
            limits->max_per_sender =
                smaller_of(limits->max_series, config->limits.max_series_per_sender);
        if (limits->timeout == 0)
            limits->timeout = SERIES_TIMEOUT_DEFAULT;
    }
}

void config_free(struct config *config)
{
    for (size_t i = 0; i < config->listener_count; i++)
        free_listener(&config->listeners[i]);
    for (size_t i = 0; i < config->sink_count; i++) {
        free(config->sinks[i].name);
        free(config->sinks[i].url);
        free(config->sinks[i].written_at);
        free(config->sinks[i].path);
        free(config->sinks[i].settings.http.query);
        free(config->sinks[i].settings.http.header_file);
        free(config->sinks[i].settings.http.token_file);
        free(config->sinks[i].settings.http.password_file);
        free(config->sinks[i].settings.tls.ca);
        free(config->sinks[i].settings.tls.cert);
        free(config->sinks[i].settings.tls.key);
        free(config->sinks[i].settings.delivery.spill);
        sample_rules_free(&config->sinks[i].settings.encoding.rules);
        free_broker(&config->sinks[i].settings.broker);
        free_own(&config->sinks[i]);
    }
    free(config->dead_letter.name);
    free(config->dead_letter.path);
    free(config->listeners);
    free(config->sinks);
    free(config->access.control);
    free(config->access.metrics_token_file);
    free(config->user);
    free(config->file);
    provenance_free(config->provenance);
    free(config->provenance);
    *config = (struct config){0};
}

bool listener_configs_conflict(const struct listener_config *a, const struct listener_config *b)
{
    return a->source == b->source && a->source->conflict != NULL && a->source->conflict(a, b);
}

bool sink_configs_share_spill(const struct sink_config *a, const struct sink_config *b)
{
    return a->settings.delivery.spill != NULL && b->settings.delivery.spill != NULL &&
           file_path_same(a->settings.delivery.spill, b->settings.delivery.spill);
}

bool sink_configs_conflict(const struct sink_config *a, const struct sink_config *b)
{
    if (sink_configs_share_spill(a, b))
        return true;
    if (a->destination != b->destination)
        return false;
    return a->destination->place_is == PLACE_FILES ? file_path_same(a->path, b->path)
                                                   : strcmp(a->path, b->path) == 0;
}
