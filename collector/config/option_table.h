/*
 * The table of command-line options, shared by what reads them (options.c), what prints the help
 * (help.c) and what writes the manual; and of exit codes, for the last two. Constant.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_OPTION_TABLE_H
#define SLUICE_COLLECTOR_CONFIG_OPTION_TABLE_H

#include "collector/base/error.h"
#include "collector/config/setting.h"

enum option_action {
    OPTION_LISTEN,       /* a URL, repeatable; the default stands where none is given */
    OPTION_SINK,         /* the same */
    OPTION_DEAD_LETTERS, /* a URL, once */
    OPTION_CONFIG,       /* a file with other options, once; not in a file */
    OPTION_VALUE,        /* a value, once */
    OPTION_FLAG,    /* no value, or the one of its choices; its unsigned in the config becomes 1, or
                       with the value 2; on the command line alone */
    OPTION_HELP,    /* no value; ends the reading */
    OPTION_VERSION, /* the same */
    OPTION_SCHEMA,  /* the name of a schema; ends the reading */
};

/* What becomes of another value in a reload: it is followed, or nothing is; or it is refused. */
enum option_change { OPTION_RELOADED, OPTION_FIXED };

struct option {
    enum option_action action;
    enum option_change change;
    struct setting setting; /* its field is one of struct config */
};

/* All options; a row without a name ends them. At most OPTIONS_MAX. */
extern const struct option command_options[];
#define OPTIONS_MAX 32

/* The first option that a reload cannot change and that differs between the two, or NULL. */
const struct option *option_fixed_change(const struct config *from, const struct config *to);

/* What the program's exit codes mean; a row without a meaning ends them. */
struct exit_meaning {
    enum exit_code code;
    const char *meaning;
};
extern const struct exit_meaning exit_meanings[];

/* The list of a configuration file that stands in the place of an option that may be repeated, or
 * NULL. */
const char *option_list_name(const struct option *option);

/* The option that "--name", "--name=value" or "-x" names, or NULL. */
const struct option *option_named(const char *argument);

#endif
