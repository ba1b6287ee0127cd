/*
 * Constant tables of the command-line options and of the exit codes. The parser (options.c), the
 * help and the manual are made from them.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_OPTION_TABLE_H
#define SLUICE_COLLECTOR_CONFIG_OPTION_TABLE_H

#include "collector/base/error.h"
#include "collector/config/setting.h"

enum option_action {
    OPTION_LISTEN,       /* a URL, repeatable; the default applies if no URL is given */
    OPTION_SINK,         /* as OPTION_LISTEN */
    OPTION_DEAD_LETTERS, /* a URL, once */
    OPTION_CONFIG,       /* a file with other options, once; only on the command line or in the
                            environment */
    OPTION_VALUE,        /* a value, once */
    OPTION_FLAG,    /* sets an unsigned in struct config: to 1 if the option has no value, to 2 if
                       it has its only choice; only on the command line */
    OPTION_HELP,    /* no value; ends the parsing */
    OPTION_VERSION, /* as OPTION_HELP */
    OPTION_SCHEMA,  /* the name of a schema; ends the parsing */
};

/*
 * The effect of a reload with another value of the option. OPTION_RELOADED: the reload applies the
 * value, or is refused as a whole. OPTION_FIXED: the reload is always refused.
 */
enum option_change { OPTION_RELOADED, OPTION_FIXED };

struct option {
    enum option_action action;
    enum option_change change;
    struct setting setting; /* its field is in struct config */
};

/* All options, at most OPTIONS_MAX; a row without a name ends the table. */
extern const struct option command_options[];
#define OPTIONS_MAX 40

/* Returns the first OPTION_FIXED option that differs between the two configurations, or NULL. */
const struct option *option_fixed_change(const struct config *from, const struct config *to);

/* The meaning of an exit code, and what to do; a row without a meaning ends the table. */
struct exit_meaning {
    enum exit_code code;
    const char *meaning, *remedy;
};
extern const struct exit_meaning exit_meanings[];

/*
 * Returns the name of the list for a repeatable option in a configuration file; NULL for other
 * options.
 */
const char *option_list_name(const struct option *option);

/* Returns the option that "--name", "--name=value" or "-x" names, or NULL. */
const struct option *option_named(const char *argument);

#endif
