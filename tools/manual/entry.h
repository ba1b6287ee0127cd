/*
 * The options of a program or the keys of a URL, as manual pages and completions show them. An
 * entry has the same form, whether it comes from the collector's tables or from those of a tool.
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

/* The kind of values that a shell offers in addition to the `values` of the entry. */
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
    char letter; /* 'h' of "-h"; '\0': the option has no letter */
    bool repeats;
    enum entry_offer offer;
    char syntax[SYNTAX_SIZE];       /* syntax of its value; empty: it has no value */
    char default_text[SYNTAX_SIZE]; /* "default 4MiB, 4KiB to 1GiB"; empty: none, or in `help` */
    char values[SYNTAX_SIZE];       /* "json|influx": the possible values, including the default */
};

#define ENTRIES_MAX 128

/*
 * Makes the entries of the options of `command`, or of the collector if it is NULL. Returns their
 * number.
 */
size_t entries_of_options(const struct command *command, struct entry entries[ENTRIES_MAX]);

/*
 * Makes the entries of the keys that belong to `scopes` (flags of enum key_scope), in the order of
 * their table. Returns their number.
 */
size_t entries_of_keys(unsigned scopes, struct entry entries[ENTRIES_MAX]);

#endif
