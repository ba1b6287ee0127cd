/*
 * The options of a program and the keys of a URL, in the words of the manual and of completions:
 * one form for the tables of the collector and those of the tools.
 *
 * An entry owns only its texts. Pure functions over constant tables; any thread.
 */
#ifndef SLUICE_TOOLS_MANUAL_ENTRY_H
#define SLUICE_TOOLS_MANUAL_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/config/syntax.h"
#include "tools/command/command.h"

/* Further values that a shell offers. */
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
    char syntax[SYNTAX_SIZE]; /* of its value; empty: it has no value */
    char
        default_text[SYNTAX_SIZE]; /* "default 4MiB, 4KiB to 1GiB"; empty: none, or included in
                                      `help` */
    char values[SYNTAX_SIZE];      /* "json|influx": the possible values, including the default */
};

#define ENTRIES_MAX 128

/*
 * Makes the entries of a program's options: those of `command`, or, if it is NULL, of the
 * collector.
 */
size_t entries_of_options(const struct command *command, struct entry entries[ENTRIES_MAX]);

/* Makes the entries of the keys of these scopes (enum key_scope), in the order of their table. */
size_t entries_of_keys(unsigned scopes, struct entry entries[ENTRIES_MAX]);

#endif
