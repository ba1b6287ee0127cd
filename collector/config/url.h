/*
 * Parses the URLs of listeners and sinks: SCHEME:PLACE?key=value&key=value.
 *
 * The place ends at the first '?'. There is no percent-decoding. Main thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_URL_H
#define SLUICE_COLLECTOR_CONFIG_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"
#include "collector/config/config.h"

/*
 * Parses "udp://ADDR:PORT?..." (a numeric IPv4 address, or an IPv6 address in brackets; the system
 * chooses a port for 0), "fd:NAME?..." or the URL of another source into `listener`, which the
 * caller has zeroed. Returns false with `fault` filled; config_free frees `listener` in both cases.
 */
bool url_parse_listener(const char *url, const struct config_registry *registry,
                        struct listener_config *listener, struct parse_error *fault);

/*
 * Parses "stdout:?...", "file:PATH?..." or the URL of another destination into `sink`. Returns as
 * url_parse_listener does.
 */
bool url_parse_sink(const char *url, const struct config_registry *registry,
                    struct sink_config *sink, struct parse_error *fault);

/*
 * Parses "file:PATH?..." of dead letters. Returns as url_parse_listener does. A '%' in the path is
 * refused: it is reserved for fields of time.
 */
bool url_parse_dead_letter(const char *url, const struct config_registry *registry,
                           struct dead_letter_config *dead_letters, struct parse_error *fault);

/*
 * The place of an accepted URL: `length` bytes from byte `at` on. The URL ends after the place, or
 * continues with '?' and the keys.
 */
struct url_place {
    size_t at;
    size_t length;
    bool is_path;     /* the place is the path of a file */
    bool is_template; /* the place is a path with fields (sinks/files/path_template.h) */
};
struct url_place url_place_of_listener(const char *url, const struct config_registry *registry);
struct url_place url_place_of_sink(const char *url, const struct config_registry *registry);
struct url_place url_place_of_dead_letter(const char *url);

/* Return true if `text` begins with the scheme of a listener (or of a sink) and a colon. */
bool url_is_listener(const char *text, const struct config_registry *registry);
bool url_is_sink(const char *text, const struct config_registry *registry);

/*
 * Returns the length of a sink's URL without its keys if its place is a shell command; otherwise 0.
 */
size_t url_command_length(const char *text, const struct config_registry *registry);

#endif
