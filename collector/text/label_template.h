/*
 * The value of a label that a sink adds: a text with fields, such as "%{source}", which are
 * replaced by facts about the origin of a record. "%%" is a percent sign.
 *
 * Pieces refer to the caller's text. Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_LABEL_TEMPLATE_H
#define SLUICE_COLLECTOR_TEXT_LABEL_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/text/text.h"

enum label_field {
    LABEL_TEXT,      /* not a field, but text that is copied unchanged */
    LABEL_HOSTNAME,  /* name of this machine */
    LABEL_SOURCE,    /* the sender's address, without its port */
    LABEL_LISTENER,  /* the listener's name */
    LABEL_SCHEMA,    /* the schema's name */
    LABEL_SENDER,    /* the name of the sender's key; empty: the sender has no key */
    LABEL_SENDER_ID, /* the name in the sender's messages; empty: there is none */
    LABEL_FIELD_COUNT,
    LABEL_WRONG = LABEL_FIELD_COUNT, /* an unknown field, or a percent sign that is not "%%" */
};

/* The names of the fields, such as "hostname", by enum label_field; NULL for LABEL_TEXT. */
extern const char *const label_field_names[LABEL_FIELD_COUNT];

struct label_piece {
    enum label_field field;
    struct text text; /* LABEL_TEXT: the text; LABEL_WRONG: the text from the percent sign on */
};

/*
 * Reads the next piece from byte *at on, which is at first 0, and advances *at. Returns false at
 * the end.
 */
bool label_template_next(const struct text *value, size_t *at, struct label_piece *piece);

#endif
