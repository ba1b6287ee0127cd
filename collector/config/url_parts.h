/*
 * What the readers of URLs share: url_listener.c, url_sink.c and url_dead_letters.c take a URL
 * apart by these functions of url.c. Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_URL_PARTS_H
#define SLUICE_COLLECTOR_CONFIG_URL_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"
#include "collector/config/config.h"

/* A URL taken apart. Lengths without what separates the parts. */
struct url {
    const char *text;
    size_t place_at; /* after the colon */
    size_t place_length;
    const char *keys; /* after the '?'; NULL: there is none */
};

/* Takes a text apart that has a colon. */
struct url url_split(const char *text);

/* Moves a fault of the keys to where it is in the URL. Returns false. */
bool url_wrong_keys(const struct url *url, struct parse_error *fault);

/* Whether the text begins with that scheme and a colon. */
bool url_has_scheme(const char *text, const char *scheme);

/* Bytes of the text that are in the place of a scheme. */
size_t url_scheme_length(const char *text);

/* The source, or the destination, whose scheme the text begins with, or NULL. */
const struct source_ops *url_source(const char *text, const struct config_registry *registry);
const struct destination_ops *url_destination(const char *text,
                                              const struct config_registry *registry);

#endif
