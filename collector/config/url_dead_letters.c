/* Parses the URL of dead letters (collector/config/url.h). */
#include <string.h>

#include "collector/config/keys.h"
#include "collector/config/url.h"
#include "collector/config/url_parts.h"
#include "collector/platform/file_system.h"
#include "collector/text/copy.h"

bool url_parse_dead_letter(const char *url, const struct config_registry *registry,
                           struct dead_letter_config *dead_letters, struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    if (!url_has_scheme(url, "file"))
        return parse_error_set(fault, 0, "%s is not a file; write file:PATH",
                               quoted(url, strcspn(url, "?"), given));
    struct url parts = url_split(url); /* there is a colon, because the scheme was checked */
    const char *place = url + parts.place_at;
    if (parts.place_length == 0)
        return parse_error_set(fault, parts.place_at, "the path is missing; write file:PATH");
    if (!url_check_first_key(&parts, KEY_OF_DEAD_LETTERS, fault))
        return false;
    const char *percent = memchr(place, '%', parts.place_length);
    if (percent != NULL)
        return parse_error_set(fault, (size_t)(percent - url),
                               "\"%%\" in a path is reserved for fields of time");
    dead_letters->name = text_copy(url, parts.place_at + parts.place_length);
    dead_letters->path = text_copy(place, parts.place_length);
    if (dead_letters->name == NULL || dead_letters->path == NULL)
        return parse_error_no_memory(fault);
    file_path_normalise(dead_letters->path);
    size_t at;
    const char *why = file_path_fault(dead_letters->path, &at);
    if (why != NULL)
        return parse_error_set(fault, parts.place_at + at, "%s", why);
    struct keys_given given_keys = {{0}};
    if (parts.keys != NULL &&
        !keys_parse(KEY_OF_DEAD_LETTERS, registry, parts.keys, dead_letters, &given_keys, fault))
        return url_wrong_keys(&parts, fault);
    return keys_apply_defaults(KEY_OF_DEAD_LETTERS, registry, &given_keys, dead_letters, fault);
}
