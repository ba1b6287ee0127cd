#include "collector/config/url.h"

#include <string.h>

#include "collector/base/rule.h"
#include "collector/config/keys.h"
#include "collector/config/url_parts.h"
#include "collector/contract/source.h"
#include "collector/platform/local_listener.h"

/* --- parts ------------------------------------------------------------------------------------ */

bool url_has_scheme(const char *text, const char *scheme)
{
    size_t length = strlen(scheme);
    return strncmp(text, scheme, length) == 0 && text[length] == ':';
}

struct url url_split(const char *text)
{
    struct url url = {.text = text};
    RULE(strchr(text, ':') != NULL, "only a text with a scheme is split");
    url.place_at = strcspn(text, ":") + 1;
    url.place_length = strcspn(text + url.place_at, "?");
    size_t end = url.place_at + url.place_length;
    url.keys = text[end] == '?' ? text + end + 1 : NULL;
    return url;
}

size_t url_scheme_length(const char *text)
{
    return strcspn(text, ":?/");
}

bool url_check_first_key(const struct url *url, unsigned scopes, struct parse_error *fault)
{
    const char *end = url->text + url->place_at + url->place_length;
    for (const char *at = url->text + url->place_at; at < end; at++) {
        const char *equals = *at == '&' ? memchr(at, '=', (size_t)(end - at)) : NULL;
        struct parse_error ignored;
        if (equals == NULL || key_find(scopes, at + 1, (size_t)(equals - at - 1), &ignored) == NULL)
            continue;
        return parse_error_set(fault, (size_t)(at - url->text),
                               "the first key comes after \"?\", not \"&\"; write \"?%.*s\"",
                               (int)(equals - at), at + 1);
    }
    return true;
}

bool url_wrong_keys(const struct url *url, struct parse_error *fault)
{
    if (url->keys != NULL)
        fault->at += (size_t)(url->keys - url->text);
    return false;
}

/* --- schemes ---------------------------------------------------------------------------------- */

const struct source_ops *url_source(const char *text, const struct config_registry *registry)
{
    for (size_t i = 0; registry->sources[i] != NULL; i++)
        if (url_has_scheme(text, registry->sources[i]->scheme))
            return registry->sources[i];
    return NULL;
}

const struct destination_ops *url_destination(const char *text,
                                              const struct config_registry *registry)
{
    for (size_t i = 0; registry->destinations[i] != NULL; i++)
        if (url_has_scheme(text, registry->destinations[i]->scheme))
            return registry->destinations[i];
    return NULL;
}

bool url_is_listener(const char *text, const struct config_registry *registry)
{
    return url_source(text, registry) != NULL;
}

bool url_is_sink(const char *text, const struct config_registry *registry)
{
    return url_destination(text, registry) != NULL;
}

size_t url_command_length(const char *text, const struct config_registry *registry)
{
    const struct destination_ops *destination = url_destination(text, registry);
    return destination != NULL && destination->place_is == PLACE_COMMAND ? strcspn(text, "?") : 0;
}

/* --- places ----------------------------------------------------------------------------------- */

static struct url_place find_place(const char *text, bool is_path, bool is_template)
{
    struct url url = url_split(text);
    return (struct url_place){url.place_at, url.place_length, is_path, is_template};
}

struct url_place url_place_of_listener(const char *url, const struct config_registry *registry)
{
    const struct source_ops *source = url_source(url, registry);
    struct url_place place = find_place(url, source != NULL && source->place == PLACE_PATH, false);
    if (source != NULL && (source->keys & SOURCE_KEYS_LOCAL) != 0)
        place.is_path = !local_name_is_abstract(url + place.at);
    return place;
}

struct url_place url_place_of_sink(const char *url, const struct config_registry *registry)
{
    const struct destination_ops *destination = url_destination(url, registry);
    bool is_file = destination != NULL && destination->place_is == PLACE_FILES;
    return find_place(url, is_file, is_file);
}

struct url_place url_place_of_dead_letter(const char *url)
{
    return find_place(url, true, false);
}
