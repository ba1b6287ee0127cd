/*
 * Reads argv, the environment and a file into a checked configuration; prints the help; prints a
 * configuration.
 *
 * All three use a table of options (option_table.c) and a table of keys (key_table.c). The command
 * line has precedence over the environment, the environment over the file, and the file over the
 * defaults. For a repeatable option, only the values from the first of these places that has the
 * option are used. Main thread, before other threads start; keeps no reference to argv except
 * config->request.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_OPTIONS_H
#define SLUICE_COLLECTOR_CONFIG_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "collector/base/error.h"
#include "collector/config/config.h"

enum options_result {
    OPTIONS_RUN,     /* none of the requests below came first; `config` is complete, and the caller
                        frees it */
    OPTIONS_HELP,    /* --help came first: see options_print_help */
    OPTIONS_VERSION, /* --version came first */
    OPTIONS_SCHEMA,  /* --print-schema came first: config->request.schema_name */
    OPTIONS_WRONG, /* `error` has the reason: EXIT_CODE_USAGE for the command line, EXIT_CODE_CONFIG
                      for the environment or the file, EXIT_CODE_INTERNAL if memory is short */
};

/*
 * Access to environment variables: pointers to the two functions of collector/platform/process.h.
 */
struct options_environment {
    bool (*value)(const char *name, char **value);
    bool (*each)(const char *prefix, bool (*visit)(void *context, const char *name), void *context);
};

/*
 * Reads the arguments after argv[0]. For each option that is not among them, reads the non-empty
 * variable SLUICE_NAME of `environment` (NULL: no environment); then the file of --config. Refuses
 * a variable whose name differs from an option's by one edit. Unless the result is OPTIONS_RUN,
 * `config` is zero except for help_topic and schema_name, and needs no config_free. An error names
 * the argument and, within a URL, the column (byte, from 1) of the fault.
 */
enum options_result options_read(int argc, char *const *argv,
                                 const struct options_environment *environment,
                                 const struct config_registry *registry, struct config *config,
                                 struct error *error);

/* Like options_read, without an environment. */
enum options_result options_parse(int argc, char *const *argv,
                                  const struct config_registry *registry, struct config *config,
                                  struct error *error);

/*
 * Calls `warn` with a line for each SLUICE_ variable that does not belong to an option, except
 * those that options_read refuses.
 */
void options_check_environment(const struct options_environment *environment,
                               void (*warn)(const char *text));

/*
 * Prints a configuration, made by options_read, in the form of a file for --config: with defaults,
 * and with the origin of each value as a comment.
 */
void options_print_config(FILE *to, const struct config *config,
                          const struct config_registry *registry);

/*
 * Prints the help for a topic (NULL: the first page, which lists the topics) in at most 100
 * columns. Returns 0, or -1 with `error` filled (EXIT_CODE_USAGE) for an unknown topic.
 */
int options_print_help(FILE *to, const struct config_registry *registry, const char *topic,
                       struct error *error);

#endif
