/*
 * From argv, the environment and a file to a checked configuration; the help text about it, and
 * the configuration printed again.
 *
 * One table of options (option_table.c) and one of keys (key_table.c) drive all of them. What the
 * command line says wins over the environment, that over the file, and that over the defaults; of
 * options that may be repeated, the winner's are all there are. The main thread's, before anything
 * is started; keeps nothing of argv.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_OPTIONS_H
#define SLUICE_COLLECTOR_CONFIG_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "collector/base/error.h"
#include "collector/config/config.h"

enum options_result {
    OPTIONS_RUN,     /* `config` is complete and the caller's to free */
    OPTIONS_HELP,    /* --help came first: see options_print_help */
    OPTIONS_VERSION, /* --version came first */
    OPTIONS_SCHEMA,  /* --print-schema came first: config->request.schema_name */
    OPTIONS_WRONG,   /* `error` says why, and whose fault it is: the command line's
                        (EXIT_CODE_USAGE), the environment's or the file's (EXIT_CODE_CONFIG), or
                        nobody's (EXIT_CODE_INTERNAL, without memory) */
};

/* The environment variables: the two functions of collector/platform/process.h. */
struct options_environment {
    bool (*value)(const char *name, char **value);
    bool (*each)(const char *prefix, bool (*visit)(void *context, const char *name), void *context);
};

/*
 * Reads the arguments after argv[0]; for each option that they leave open, the variable
 * SLUICE_NAME of `environment` (NULL: there is none), an empty one being as good as none; and then
 * the file of --config. Refuses a variable whose name differs from an option's by one edit. On any
 * result but OPTIONS_RUN `config` is all zero but for help_topic and schema_name, with nothing to
 * free. An error's text names the argument and, within a URL, the column (the byte, counted from 1)
 * where the trouble begins.
 */
enum options_result options_read(int argc, char *const *argv,
                                 const struct options_environment *environment,
                                 const struct config_registry *registry, struct config *config,
                                 struct error *error);

/* The same without an environment. */
enum options_result options_parse(int argc, char *const *argv,
                                  const struct config_registry *registry, struct config *config,
                                  struct error *error);

/*
 * Calls `warn` with a line about each SLUICE_ variable that no option has. Those that options_read
 * refuses are not among them.
 */
void options_check_environment(const struct options_environment *environment,
                               void (*warn)(const char *text));

/*
 * Prints a configuration that options_read made as a file that --config reads, with the defaults
 * of what was left open, and after each value where it comes from.
 */
void options_print_config(FILE *to, const struct config *config,
                          const struct config_registry *registry);

/*
 * Prints what --help prints about a topic (NULL: the first page, which lists the topics), in at
 * most 100 columns. Returns 0, or -1 with `error` filled (EXIT_CODE_USAGE): there is no such topic.
 */
int options_print_help(FILE *to, const struct config_registry *registry, const char *topic,
                       struct error *error);

#endif
