/*
 * The URLs of listeners and sinks: SCHEME:PLACE?key=value&key=value.
 *
 * The place ends at the first '?'; nothing is percent-decoded. Functions of the main thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_URL_H
#define SLUICE_COLLECTOR_CONFIG_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"
#include "collector/config/config.h"

/*
 * Reads "udp://ADDR:PORT?..." (a numeric IPv4 address, or an IPv6 address in brackets; port 0 lets
 * the system choose), "fd:NAME?..." or "pcap:FILE?..." into `listener`, which is all zero before.
 * Returns false with `fault` filled; what `listener` then holds is released by config_free all the
 * same.
 */
bool url_parse_listener(const char *url, const struct config_registry *registry,
                        struct listener_config *listener, struct parse_error *fault);

/*
 * Reads "stdout:?...", "file:PATH?..." or the like for any other destination into `sink`, as
 * above. A '%' in a path is refused: it is kept for fields of time.
 */
bool url_parse_sink(const char *url, const struct config_registry *registry,
                    struct sink_config *sink, struct parse_error *fault);

/*
 * Reads the "file:PATH?..." of dead letters, as above; a '%' is refused in the same way.
 */
bool url_parse_dead_letter(const char *url, const struct config_registry *registry,
                           struct dead_letter_config *letters, struct parse_error *fault);

/*
 * The place of a URL that was accepted, `length` bytes at byte `at`; after it the text ends, or
 * there is the '?' of the keys.
 */
struct url_place {
    size_t at;
    size_t length;
    bool is_path;     /* of a file */
    bool is_template; /* a path with fields in it (sinks/files/path_template.h) */
};
struct url_place url_place_of_listener(const char *url, const struct config_registry *registry);
struct url_place url_place_of_sink(const char *url, const struct config_registry *registry);
struct url_place url_place_of_dead_letter(const char *url);

/* Whether `text` begins with the scheme of a listener, or of a sink, and a colon. */
bool url_is_listener(const char *text, const struct config_registry *registry);
bool url_is_sink(const char *text, const struct config_registry *registry);

/* Bytes of a sink's URL up to its keys where its place is a command for a shell; else 0. */
size_t url_command_length(const char *text, const struct config_registry *registry);

#endif
