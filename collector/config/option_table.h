/*
 * The table of command-line options, used by their parser (options.c), the help (help.c) and the
 * manual; and the table of exit codes, used by the last two. Constant.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_OPTION_TABLE_H
#define SLUICE_COLLECTOR_CONFIG_OPTION_TABLE_H

#include "collector/base/error.h"
#include "collector/config/setting.h"

enum option_action {
    OPTION_LISTEN,       /* a URL, repeatable; the default applies if none is given */
    OPTION_SINK,         /* the same */
    OPTION_DEAD_LETTERS, /* a URL, once */
    OPTION_CONFIG,       /* a file with other options, once; only on the command line or in the
                            environment */
    OPTION_VALUE,        /* a value, once */
    OPTION_FLAG, /* without a value sets its unsigned in the config to 1; with its only choice, to
                    2; only on the command line */
    OPTION_HELP, /* no value; ends the parsing */
    OPTION_VERSION, /* the same */
    OPTION_SCHEMA,  /* the name of a schema; ends the parsing */
};

/*
 * Whether a reload with another value applies it (or is refused as a whole), or is always refused.
 */
enum option_change { OPTION_RELOADED, OPTION_FIXED };

struct option {
    enum option_action action;
    enum option_change change;
    struct setting setting; /* its field is in struct config */
};

/* All options, at most OPTIONS_MAX; a row without a name ends the table. */
extern const struct option command_options[];
#define OPTIONS_MAX 32

/* The first OPTION_FIXED option that differs between the two, or NULL. */
const struct option *option_fixed_change(const struct config *from, const struct config *to);

/* The meaning of the exit codes; a row without a meaning ends the table. */
struct exit_meaning {
    enum exit_code code;
    const char *meaning;
};
extern const struct exit_meaning exit_meanings[];

/* The name of the list that a configuration file has for a repeatable option, or NULL. */
const char *option_list_name(const struct option *option);

/* The option that "--name", "--name=value" or "-x" names, or NULL. */
const struct option *option_named(const char *argument);

#endif
