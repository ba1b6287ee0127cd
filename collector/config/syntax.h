/*
 * Writes the syntax, default and range of a setting as text for --help and the manual. Pure
 * functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_SYNTAX_H
#define SLUICE_COLLECTOR_CONFIG_SYNTAX_H

#include "collector/config/option_table.h"
#include "collector/config/setting.h"

/* Enough for any setting's syntax and its NUL. */
#define SYNTAX_SIZE 512

/*
 * Writes the syntax of the setting's value: "SIZE", "json|influx", "unix:PATH"; empty if it has no
 * value.
 */
void syntax_of_value(const struct setting *setting, const struct config_registry *registry,
                     char text[SYNTAX_SIZE]);

/* Writes the syntax of an option's value, which may also be a URL. */
void syntax_of_option(const struct option *option, const struct config_registry *registry,
                      char text[SYNTAX_SIZE]);

/*
 * Writes "default 4MiB, 4KiB to 1GiB"; empty if the setting has no default. Only numbers have a
 * range.
 */
void syntax_of_default(const struct setting *setting, bool with_range, char text[SYNTAX_SIZE]);

#endif
