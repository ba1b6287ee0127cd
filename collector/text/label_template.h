/*
 * The value of a label that a sink adds: a text with fields in it, "%{source}", that say where a
 * record came from. "%%" is a percent sign.
 *
 * A walk over the caller's text; pure, any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_LABEL_TEMPLATE_H
#define SLUICE_COLLECTOR_TEXT_LABEL_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/text/text.h"

enum label_field {
    LABEL_TEXT,     /* none: the piece's text stands as it is */
    LABEL_HOSTNAME, /* of this machine */
    LABEL_SOURCE,   /* the sender's address, without its port */
    LABEL_LISTENER, /* its name */
    LABEL_SCHEMA,   /* its name */
    LABEL_FIELD_COUNT,
    LABEL_WRONG = LABEL_FIELD_COUNT, /* the piece's text is no field, or a lone percent sign */
};

/* "hostname", by enum label_field; NULL for LABEL_TEXT. */
extern const char *const label_field_names[LABEL_FIELD_COUNT];

struct label_piece {
    enum label_field field;
    struct text text; /* LABEL_TEXT: it; LABEL_WRONG: from the percent sign on */
};

/* The next piece from *at on, which begins with 0; false at the end. */
bool label_template_next(const struct text *value, size_t *at, struct label_piece *piece);

#endif
