/*
 * Expands the name of a topic or subject, whose fields each record fills: "sluice.%{schema}.%F".
 *
 *   %Y %m %d %H %F      the record's arrival, UTC: 4, 2, 2 and 2 digits, and %Y-%m-%d
 *   %{listener}         the listener's URL
 *   %{schema}           the schema's name
 *   %{sender}           the name of the sender's key; empty if it has none
 *   %%                  a percent sign
 *
 * In a value each byte except ASCII letters, digits, '.', '_' and '-' becomes '_'. With
 * `dots_part`, because dots separate the words of a name, so does a dot. An empty value becomes
 * "_".
 *
 * Pure, except that the last name is cached. One thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_TOPIC_TEMPLATE_H
#define SLUICE_SINKS_DESTINATIONS_TOPIC_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/delivery.h"
#include "collector/contract/sender_name.h"

struct listener;
struct record;
struct schema;

struct topic_template {
    const char *text;
    bool has_values, has_time;
    bool dots_part; /* a dot in a value becomes '_' */

    /* The cached name, and the values in it. */
    const struct listener *listener;
    const struct schema *schema;
    char sender[SENDER_NAME_MAX + 1];
    int64_t hour;
    size_t size; /* size of `name`; 0 if no name is cached */
    char name[DELIVERY_ROUTE_SIZE];
};

/*
 * Reads the text, which must outlive the template. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CONFIG) if a field is unknown.
 */
int topic_template_read(struct topic_template *topic, const char *text, bool dots_part,
                        struct error *error);

/*
 * Writes the name for the record, with a NUL, to the DELIVERY_ROUTE_SIZE bytes of `name`. Returns
 * its length, or 0 if it is too long.
 */
size_t topic_template_expand(struct topic_template *topic, const struct listener *listener,
                             const struct record *record, char *name);

/*
 * Writes a name for a check of its syntax: each value is "x", and the time is the beginning of
 * 1970. Returns as topic_template_expand does.
 */
size_t topic_template_example(const struct topic_template *topic, char *name);

#endif
