/*
 * Functions of url.c, shared by the parsers of each kind of URL (url_listener.c, for example).
 * Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_URL_PARTS_H
#define SLUICE_COLLECTOR_CONFIG_URL_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"
#include "collector/config/config.h"

/* The parts of a URL, without their separators. */
struct url {
    const char *text;
    size_t place_at; /* offset of the first byte after the colon */
    size_t place_length;
    const char *keys; /* the text after the '?'; NULL if there is no '?' */
};

/* Splits a URL into its parts. The text must contain a colon. */
struct url url_split(const char *text);

/*
 * Refuses a place that contains "&NAME=" with the name of a key of these scopes: the "?" is
 * missing.
 */
bool url_check_first_key(const struct url *url, unsigned scopes, struct parse_error *fault);

/* Converts the offset of a fault in the keys to its offset in the URL. Returns false. */
bool url_wrong_keys(const struct url *url, struct parse_error *fault);

/* Returns true if the text begins with `scheme` and a colon. */
bool url_has_scheme(const char *text, const char *scheme);

/* Returns the number of bytes before the first ':', '?' or '/'. */
size_t url_scheme_length(const char *text);

/* Return the source or destination that has the scheme of the text, or NULL. */
const struct source_ops *url_source(const char *text, const struct config_registry *registry);
const struct destination_ops *url_destination(const char *text,
                                              const struct config_registry *registry);

#endif
