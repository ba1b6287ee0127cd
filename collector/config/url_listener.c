/* Parses the URL of a listener (collector/config/url.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/suggestion.h"
#include "collector/config/listener_keys.h"
#include "collector/config/url.h"
#include "collector/config/url_authority.h"
#include "collector/config/url_parts.h"
#include "collector/contract/source.h"
#include "collector/platform/file_system.h"
#include "collector/text/copy.h"

/* --- places ----------------------------------------------------------------------------------- */

static bool parse_listener_address(const struct url *url, struct listener_config *listener,
                                   struct parse_error *fault)
{
    const char *place = url->text + url->place_at;
    if (strncmp(place, "//", 2) != 0)
        return parse_error_set(fault, url->place_at, "%s", listener->source->no_place);
    if (url_parse_authority(place + 2, url->place_length - 2, &listener->address, fault))
        return true;
    fault->at += url->place_at + 2;
    return false;
}

static bool parse_listener_text(const struct url *url, struct listener_config *listener,
                                struct parse_error *fault)
{
    if (url->place_length == 0)
        return parse_error_set(fault, url->place_at, "%s", listener->source->no_place);
    if (!url_check_first_key(url, listener->source->keys | KEY_OF_SCHEMA | KEY_OF_FILE, fault))
        return false;
    listener->place = text_copy(url->text + url->place_at, url->place_length);
    if (listener->place == NULL)
        return parse_error_no_memory(fault);
    if (listener->source->place == PLACE_PATH)
        file_path_normalise(listener->place);
    return true;
}

/*
 * Calls the source's own check of the listener. A fault is reported at the URL's place, after its
 * slashes.
 */
static bool check_refusal(const struct url *url, const struct listener_config *listener,
                          struct parse_error *fault)
{
    const struct source_ops *source = listener->source;
    const char *why = source->refuse == NULL ? NULL : source->refuse(listener);
    size_t slashes = source->place == PLACE_ADDRESS ? 2 : 0;
    return why == NULL || parse_error_set(fault, url->place_at + slashes, "%s", why);
}

/* --- unknown schemes -------------------------------------------------------------------------- */

static bool is_schema(const char *text, const struct config_registry *registry)
{
    size_t length = strcspn(text, ":?/");
    for (size_t i = 0; registry->schemas[i] != NULL; i++)
        if (strlen(registry->schemas[i]->name) == length &&
            memcmp(registry->schemas[i]->name, text, length) == 0)
            return true;
    return false;
}

/* For a text without a scheme, appends the listener that was probably meant. */
static void suggest_listener(const char *text, const struct config_registry *registry,
                             struct parse_error *fault)
{
    struct address address;
    struct parse_error ignored;
    uint16_t port;
    char keys[QUOTED_SIZE];
    int place = (int)strcspn(text, "?");
    const char *digits = text[0] == ':' ? text + 1 : text;
    int count = place - (int)(digits - text);
    copy_printable(keys, sizeof keys, text + place, strlen(text + place));
    if (keys[0] == '?')
        keys[0] = '&';
    if (is_schema(text, registry))
        parse_error_append(fault, "; did you mean \"udp://ADDR:PORT?schema=%.*s%s\"?", place, text,
                           keys);
    else if (url_parse_port(digits, (size_t)count, 0, &port, &ignored))
        parse_error_append(fault, "; did you mean \"udp://0.0.0.0:%.*s\", or \"udp://[::]:%.*s\"?",
                           count, digits, count, digits);
    else if (url_parse_authority(text, (size_t)place, &address, &ignored))
        parse_error_append(fault, "; did you mean \"udp://%.*s\"?", place, text);
}

static bool unknown_listener(const char *text, const struct config_registry *registry,
                             struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    size_t length = url_scheme_length(text);
    suggestion_begin(&suggestion, text, length);
    parse_error_set(fault, 0, "%s is not a listener; write",
                    quoted(text, strcspn(text, "?"), given));
    for (const struct source_ops *const *source = registry->sources; *source != NULL; source++) {
        bool first = source == registry->sources;
        parse_error_append(fault, "%s %s",
                           first               ? ""
                           : source[1] != NULL ? ","
                                               : " or",
                           (*source)->syntax);
        suggestion_offer(&suggestion, (*source)->scheme);
    }
    if (suggestion_found(&suggestion) != NULL)
        parse_error_append(fault, "; did you mean \"%s:\"?", suggestion_found(&suggestion));
    else
        suggest_listener(text, registry, fault);
    return false;
}

/* --- listeners -------------------------------------------------------------------------------- */

static bool add_id_to_name(struct listener_config *listener)
{
    size_t length = strlen(listener->name);
    size_t size = length + 1 + strlen(listener->id) + 1;
    char *name = realloc(listener->name, size);
    if (name == NULL)
        return false;
    snprintf(name + length, size - length, "#%s", listener->id);
    listener->name = name;
    return true;
}

bool url_parse_listener(const char *url, const struct config_registry *registry,
                        struct listener_config *listener, struct parse_error *fault)
{
    listener->source = url_source(url, registry);
    if (listener->source == NULL)
        return unknown_listener(url, registry, fault);
    struct url parts = url_split(url);
    bool address = listener->source->place == PLACE_ADDRESS;
    listener->name = text_copy(url, parts.place_at + parts.place_length);
    if (listener->name == NULL)
        return parse_error_no_memory(fault);
    if (!(address ? parse_listener_address : parse_listener_text)(&parts, listener, fault))
        return false;
    if (listener->source->at_place != NULL)
        listener->source = listener->source->at_place(listener->place);
    if (!listener_keys_parse(listener->source->keys, registry, parts.keys, listener, fault))
        return url_wrong_keys(&parts, fault);
    if (listener->source->complete != NULL)
        listener->source->complete(listener);
    if (!check_refusal(&parts, listener, fault))
        return false;
    return listener->id == NULL || add_id_to_name(listener) || parse_error_no_memory(fault);
}
