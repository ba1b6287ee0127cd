/*
 * The options of a program and the keys of a URL, in the words of the manual and of completions:
 * one shape for what stands in the tables of the collector and in those of the tools.
 *
 * Entries own nothing but their texts. Pure functions over constant tables; any thread.
 */
#ifndef SLUICE_TOOLS_MANUAL_ENTRY_H
#define SLUICE_TOOLS_MANUAL_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/config/syntax.h"
#include "tools/command/command.h"

/* What a shell offers for a value, besides those that are listed. */
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
    char letter; /* 'h' of "-h", of an option that has one; '\0': none */
    bool repeats;
    enum entry_offer offer;
    char syntax[SYNTAX_SIZE]; /* of its value; empty: it takes none */
    char
        default_text[SYNTAX_SIZE]; /* "default 4MiB, 4KiB to 1GiB"; empty: none, or `help` has it */
    char values[SYNTAX_SIZE];      /* "json|influx": what it may be, or is by default */
};

#define ENTRIES_MAX 128

/* A program's options: those of `command`, or, where that is NULL, those of the collector. */
size_t entries_of_options(const struct command *command, struct entry entries[ENTRIES_MAX]);

/* The keys that may stand in a place, of enum key_scope, in the order of their table. */
size_t entries_of_keys(unsigned scopes, struct entry entries[ENTRIES_MAX]);

#endif
