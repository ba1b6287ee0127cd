/*
 * Lists the options of a program, or the keys of a URL, for manual pages and completions. The form
 * is the same for the collector and the tools.
 *
 * An entry owns only its arrays; other texts belong to the tables. Pure functions over constant
 * tables; any thread.
 */
#ifndef SLUICE_TOOLS_MANUAL_ENTRY_H
#define SLUICE_TOOLS_MANUAL_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/config/syntax.h"
#include "tools/command/command.h"

/* The kinds of values that a shell offers in addition to the `values` of an entry. */
enum entry_offer {
    OFFER_NOTHING,
    OFFER_FILE,
    OFFER_FOLDER,
    OFFER_LISTENER, /* a URL of --listen */
    OFFER_SINK,     /* a URL of --sink */
    OFFER_LETTERS,  /* a URL of --dead-letter */
};

struct entry {
    const char *name;
    const char *help;
    char letter; /* 'h' for "-h"; '\0': none */
    bool repeats;
    enum entry_offer offer;
    char syntax[SYNTAX_SIZE]; /* syntax of its value; "" if it has no value */
    /* A text such as "default 4MiB, 4KiB to 1GiB". "" if there is none, or if it is in `help`. */
    char default_text[SYNTAX_SIZE];
    char values[SYNTAX_SIZE]; /* possible values with the default, such as "json|influx" */
};

#define ENTRIES_MAX 128

/*
 * Makes the entries of the options of `command`, or of the collector's options if it is NULL.
 * Returns their number.
 */
size_t entries_of_options(const struct command *command, struct entry entries[ENTRIES_MAX]);

/*
 * Makes the entries of the keys of `scopes` (flags of enum key_scope), in the order of their table.
 * Returns their number.
 */
size_t entries_of_keys(unsigned scopes, struct entry entries[ENTRIES_MAX]);

#endif
