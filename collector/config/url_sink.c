/* Parses the URL of a sink (collector/config/url.h). */
#include <stdio.h>
#include <string.h>

#include "collector/base/suggestion.h"
#include "collector/config/keys.h"
#include "collector/config/sink_keys.h"
#include "collector/config/url.h"
#include "collector/config/url_authority.h"
#include "collector/config/url_parts.h"
#include "collector/platform/file_system.h"
#include "collector/text/copy.h"
#include "collector/text/secret_url.h"

/* --- unknown schemes -------------------------------------------------------------------------- */

static bool unknown_sink(const char *text, const struct config_registry *registry,
                         struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    char shown[QUOTED_SIZE];
    size_t length = strcspn(text, "?");
    snprintf(shown, sizeof shown, "%.*s", (int)length, text);
    secret_url_blank(shown, strlen(shown));
    suggestion_begin(&suggestion, text, url_scheme_length(text));
    parse_error_set(fault, 0, "%s is not a sink; write", quoted(shown, strlen(shown), given));
    const struct destination_ops *destination;
    const char *with_path = NULL;
    for (size_t i = 0; (destination = registry->destinations[i]) != NULL; i++) {
        if (destination->place_is == PLACE_FILES && with_path == NULL)
            with_path = destination->scheme;
        parse_error_append(fault, "%s %s:%s", i == 0 ? "" : " or", destination->scheme,
                           destination_place(destination));
        suggestion_offer(&suggestion, destination->scheme);
    }
    if (suggestion_found(&suggestion) != NULL)
        parse_error_append(fault, "; did you mean \"%s:\"?", suggestion_found(&suggestion));
    else if (strchr(text, ':') == NULL && with_path != NULL)
        parse_error_append(fault, "; a path goes after %s:", with_path);
    return false;
}

/* --- places ----------------------------------------------------------------------------------- */

static bool check_place(const struct url *url, const struct destination_ops *destination,
                        struct parse_error *fault)
{
    if (destination->place_is == PLACE_NOTHING &&
        !url_check_first_key(url, keys_of_sink(destination), fault))
        return false;
    if (destination->place_is == PLACE_NOTHING && url->place_length != 0)
        return parse_error_set(fault, url->place_at, "%s: takes no path; keys come after a \"?\"",
                               destination->scheme);
    if (destination->place_is != PLACE_NOTHING && url->place_length == 0)
        return parse_error_set(fault, url->place_at, "%s is missing; write %s:%s",
                               destination->place != NULL ? destination->place : "the path",
                               destination->scheme, destination_place(destination));
    return true;
}

static bool parse_targets(const struct url *url, struct sink_config *sink,
                          struct parse_error *fault)
{
    struct relay_options *relay = &sink->settings.relay;
    if (strncmp(sink->path, "//", 2) == 0)
        return parse_error_set(fault, url->place_at, "write udp:%s, without slashes",
                               sink->path + 2);
    for (const char *at = sink->path;; at++) {
        size_t length = strcspn(at, ",");
        size_t place = url->place_at + (size_t)(at - sink->path);
        if (relay->target_count == RELAY_TARGETS_MOST)
            return parse_error_set(fault, place, "a sink has at most %d addresses",
                                   RELAY_TARGETS_MOST);
        struct address *target = &relay->targets[relay->target_count++];
        if (!url_parse_authority(at, length, target, fault)) {
            fault->at += place;
            return false;
        }
        if (target->port == 0)
            return parse_error_set(fault, place, "port 0 is not a destination");
        if (address_needs_zone(target))
            return parse_error_set(fault, place, "%s", ADDRESS_ZONE_MISSING);
        if (address_is_wildcard(target))
            return parse_error_set(fault, place, "the wildcard address is not a destination");
        at += length;
        if (*at == '\0')
            return true;
    }
}

/*
 * Checks the fields for the time and for label values in a sink's path, and the keys that depend on
 * these fields.
 */
static bool check_path(const struct url *url, const struct sink_keys *keys,
                       struct parse_error *fault)
{
    const struct sink_config *sink = keys->sink;
    struct path_fields fields;
    size_t wrong_at;
    const char *why;
    if (sink->destination->read_path == NULL)
        return true;
    if (sink->destination->read_path(sink->path, &fields, &wrong_at, &why))
        return sink_keys_check_files(keys, &fields, fault) || url_wrong_keys(url, fault);
    if (why == NULL)
        return parse_error_no_memory(fault);
    char given[QUOTED_SIZE];
    const char *field = sink->path + wrong_at;
    if (*field != '%')
        return parse_error_set(fault, url->place_at + wrong_at, "%s", why);
    size_t length = field[1] == '{' ? strcspn(field, "}") + 1 : 2;
    if (length > strlen(field))
        length = strlen(field);
    return parse_error_set(fault, url->place_at + wrong_at, "%s: %s", quoted(field, length, given),
                           why);
}

/*
 * Refuses "***" in a sink's URL. --print-config writes it in place of a secret, so the URL was
 * probably copied from there.
 */
static bool check_masked(const struct url *url, const struct sink_config *sink,
                         struct parse_error *fault)
{
    const char *masked = strstr(sink->path, "***");
    size_t at = masked == NULL ? 0 : url->place_at + (size_t)(masked - sink->path);
    if (sink->destination->place_is == PLACE_FILES ||
        (masked == NULL &&
         (sink->settings.http.query == NULL || strstr(sink->settings.http.query, "***") == NULL)))
        return true;
    return parse_error_set(
        fault, at,
        "\"***\" is the placeholder of --print-config for a secret; write the secret here");
}

/* --- sinks ------------------------------------------------------------------------------------ */

static bool read_place(const struct url *url, struct sink_config *sink, struct parse_error *fault)
{
    if (!check_place(url, sink->destination, fault))
        return false;
    sink->name = text_copy(url->text, url->place_at + url->place_length);
    sink->path = text_copy(url->text + url->place_at, url->place_length);
    if (sink->name == NULL || sink->path == NULL)
        return parse_error_no_memory(fault);
    if (sink->destination->place_is == PLACE_FILES)
        file_path_normalise(sink->path);
    if (sink->destination->place_is != PLACE_TARGETS &&
        sink->destination->place_is != PLACE_COMMAND &&
        !url_check_first_key(url, keys_of_sink(sink->destination), fault))
        return false;
    return sink->destination->place_is != PLACE_TARGETS || parse_targets(url, sink, fault);
}

static bool read_keys(const struct url *url, struct sink_keys *keys, struct parse_error *fault)
{
    const struct destination_ops *destination = keys->sink->destination;
    if (sink_keys_parse(keys, url->keys, fault))
        return true;
    if (destination->place_is == PLACE_COMMAND) /* a "?" may be a part of the command */
        parse_error_append(fault,
                           "; the %s ends at its first \"?\": put it into a script if it needs one",
                           destination->place);
    return url_wrong_keys(url, fault);
}

bool url_parse_sink(const char *url, const struct config_registry *registry,
                    struct sink_config *sink, struct parse_error *fault)
{
    sink->destination = url_destination(url, registry);
    if (sink->destination == NULL)
        return unknown_sink(url, registry, fault);
    const struct url parts = url_split(url);
    struct sink_keys keys = {.registry = registry, .sink = sink};
    if (!read_place(&parts, sink, fault) || !read_keys(&parts, &keys, fault) ||
        !check_masked(&parts, sink, fault))
        return false;
    if (!sink_keys_complete(&keys, fault))
        return url_wrong_keys(&parts, fault);
    return check_path(&parts, &keys, fault);
}
