/*
 * Parses the value of a label that a sink adds: a text with fields, such as "%{source}", which are
 * replaced by data about the origin of a record. "%%" is a percent sign. Pieces point into the
 * caller's text. Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_LABEL_TEMPLATE_H
#define SLUICE_COLLECTOR_TEXT_LABEL_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/text/text.h"

enum label_field {
    LABEL_TEXT,      /* no field: text that is copied unchanged */
    LABEL_HOSTNAME,  /* name of this machine */
    LABEL_SOURCE,    /* the sender's address, without its port */
    LABEL_LISTENER,  /* the listener's name */
    LABEL_SCHEMA,    /* the schema's name */
    LABEL_SENDER,    /* the name of the sender's key; empty without a key */
    LABEL_SENDER_ID, /* the name in the sender's messages; empty without a name */
    LABEL_FIELD_COUNT,
    LABEL_WRONG = LABEL_FIELD_COUNT, /* an unknown field, or a percent sign that is not "%%" */
};

/* The names of the fields, such as "hostname", by enum label_field; NULL for LABEL_TEXT. */
extern const char *const label_field_names[LABEL_FIELD_COUNT];

struct label_piece {
    enum label_field field;
    struct text text; /* of LABEL_WRONG: the rest from the percent sign on */
};

/* Reads the piece at byte *at, which is 0 at first, and advances *at. Returns false at the end. */
bool label_template_next(const struct text *value, size_t *at, struct label_piece *piece);

#endif
