/*
 * The command line: from argv to a checked configuration, and the help text about it.
 *
 * One table of options (option_table.c) and one of keys (keys.c) drive both. The main thread's,
 * before anything is started; keeps nothing of argv.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_OPTIONS_H
#define SLUICE_COLLECTOR_CONFIG_OPTIONS_H

#include <stdio.h>

#include "collector/config/config.h"
#include "collector/error.h"

enum options_result {
    OPTIONS_RUN,     /* `config` is complete and the caller's to free */
    OPTIONS_HELP,    /* --help came first: see options_print_help */
    OPTIONS_VERSION, /* --version came first */
    OPTIONS_WRONG,   /* `error` says why: EXIT_CODE_USAGE, or EXIT_CODE_INTERNAL without memory */
};

/*
 * Reads the arguments behind argv[0]. On any result but OPTIONS_RUN `config` is all zero, with
 * nothing to free. An error's text names the argument and, within a URL, the column (the byte,
 * counted from 1) where the trouble begins.
 */
enum options_result options_parse(int argc, char *const *argv, const struct config_choices *choices,
                                  struct config *config, struct error *error);

/* Prints what --help prints, in at most 100 columns. */
void options_print_help(FILE *to, const struct config_choices *choices);

#endif
