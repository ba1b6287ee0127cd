#include "collector/status/settings_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/config_walk.h"
#include "collector/contract/destination.h"
#include "collector/pipeline/pipeline.h"
#include "collector/text/json_writer.h"
#include "collector/text/secret_url.h"

/* The state of writing. Each part of the configuration is written by a separate walk. */
struct writing {
    enum config_part part; /* the part that is being written */
    const struct config *config;
    const struct config_registry *registry;
    const struct pipeline *pipeline;
    struct output *out;
    bool open; /* a listener or a sink was begun */
};

static void settings_put_text(struct output *out, const char *text)
{
    json_string(out, text, strlen(text));
}

/* Writes the origin as --print-config prints it. */
static void put_origin(struct output *out, const struct config_origin *origin)
{
    char name[PROVENANCE_VARIABLE_SIZE];
    char text[512];
    switch (origin->by) {
    case PROVENANCE_ARGUMENT:
        settings_put_text(out, "command line");
        break;
    case PROVENANCE_ENVIRONMENT:
        provenance_variable(origin->option, name);
        snprintf(text, sizeof text, "environment: %s", name);
        settings_put_text(out, text);
        break;
    case PROVENANCE_FILE:
        snprintf(text, sizeof text, "%.480s:%zu", origin->file, origin->line);
        settings_put_text(out, text);
        break;
    case PROVENANCE_DEFAULT:
        settings_put_text(out, "default");
        break;
    }
}

/* The address of a listener or sink has no key; its name is that of the configuration file. */
static void settings_put_key(struct output *out, const struct config_value *value)
{
    if (value->setting != NULL)
        json_string(out, value->name, value->name_length);
    else
        settings_put_text(out, value->part == CONFIG_OF_LISTENER ? "address" : "to");
}

/*
 * Writes the URL of a sink without its secrets, or null for a command, which may contain secrets.
 */
static void put_place(const struct writing *writing, const struct config_value *value)
{
    struct output *out = writing->out;
    char *masked = malloc(SECRET_URL_ROOM(value->length));
    if (masked == NULL ||
        writing->config->sinks[value->index].destination->place_is == PLACE_COMMAND)
        json_null(out);
    else
        json_string(out, masked, secret_url_mask(value->text, value->length, masked));
    free(masked);
}

static void settings_put_value(const struct writing *writing, const struct config_value *value)
{
    struct output *out = writing->out;
    json_object_begin(out);
    json_key_literal(out, "key");
    settings_put_key(out, value);
    json_key_literal(out, "value");
    if (value->setting == NULL && value->part == CONFIG_OF_SINK)
        put_place(writing, value);
    else if (value->setting != NULL && value->setting->secret)
        json_null(out);
    else
        json_string(out, value->text, value->length);
    json_key_literal(out, "from");
    put_origin(out, &value->origin);
    if (value->schema != 0)
        json_member_uint64(out, "schema", value->schema);
    json_object_end(out);
}

static const char *name_of(const struct writing *writing, const struct config_value *value)
{
    return value->part == CONFIG_OF_LISTENER
               ? pipeline_listener_name(writing->pipeline, value->index)
               : writing->config->sinks[value->index].name;
}

static void end_one(struct writing *writing)
{
    if (!writing->open)
        return;
    json_array_end(writing->out);
    json_object_end(writing->out);
    writing->open = false;
}

/* Writes a setting of a listener or sink. The first value of each is its address. */
static void visit_listed(void *context, const struct config_value *value)
{
    struct writing *writing = context;
    if (value->part != writing->part)
        return;
    if (value->setting == NULL) {
        end_one(writing);
        json_object_begin(writing->out);
        json_key_literal(writing->out, "name");
        settings_put_text(writing->out, name_of(writing, value));
        json_key_literal(writing->out, "settings");
        json_array_begin(writing->out);
        writing->open = true;
    }
    settings_put_value(writing, value);
}

static void visit_single(void *context, const struct config_value *value)
{
    const struct writing *writing = context;
    if (value->part == writing->part)
        settings_put_value(writing, value);
}

static void settings_put_part(struct writing *writing, enum config_part part, config_visitor *visit)
{
    writing->part = part;
    json_array_begin(writing->out);
    config_walk(writing->config, writing->registry, visit, writing);
    end_one(writing);
    json_array_end(writing->out);
}

void settings_json_write(const struct config *config, const struct config_registry *registry,
                         const struct pipeline *pipeline, struct output *out)
{
    struct writing writing = {
        .config = config, .registry = registry, .pipeline = pipeline, .out = out};
    json_object_begin(out);
    json_key_literal(out, "listeners");
    settings_put_part(&writing, CONFIG_OF_LISTENER, visit_listed);
    json_key_literal(out, "sinks");
    settings_put_part(&writing, CONFIG_OF_SINK, visit_listed);
    json_key_literal(out, "dead_letters");
    settings_put_part(&writing, CONFIG_OF_DEAD_LETTERS, visit_single);
    json_key_literal(out, "program");
    settings_put_part(&writing, CONFIG_OF_PROGRAM, visit_single);
    json_object_end(out);
}
