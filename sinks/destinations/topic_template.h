/*
 * The name of a topic or a subject, with fields in it that each record fills:
 * "sluice.%{schema}.%F".
 *
 *   %Y %m %d %H %F      of the record's arrival, UTC: 4, 2, 2 and 2 digits, and %Y-%m-%d
 *   %{listener}         the listener's URL
 *   %{schema}           the schema's name
 *   %%                  a percent sign, no field
 *
 * In a value each byte other than an ASCII letter, a digit, '.', '_' and '-' becomes '_', and a dot
 * as well where dots part the words of a name. An empty value is "_".
 *
 * Pure, but for what was expanded last; one thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_TOPIC_TEMPLATE_H
#define SLUICE_SINKS_DESTINATIONS_TOPIC_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/delivery.h"

struct listener;
struct record;
struct schema;

struct topic_template {
    const char *text;
    bool has_values, has_time;
    bool dots_part; /* '.' in a value becomes '_' */

    /* What was expanded last, and of what. */
    const struct listener *listener;
    const struct schema *schema;
    int64_t hour;
    size_t size; /* 0: nothing was */
    char name[DELIVERY_ROUTE_SIZE];
};

/*
 * Reads the text, which outlives the template. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CONFIG) where a percent sign begins no field that there is.
 */
int topic_template_read(struct topic_template *topic, const char *text, bool dots_part,
                        struct error *error);

/*
 * Writes the record's name, ended by a NUL, to the DELIVERY_ROUTE_SIZE bytes of `name`. Returns its
 * length, or 0 where it is longer.
 */
size_t topic_template_expand(struct topic_template *topic, const struct listener *listener,
                             const struct record *record, char *name);

/* The same with "x" for each value, at the beginning of 1970: what all names look like. */
size_t topic_template_example(const struct topic_template *topic, char *name);

#endif
