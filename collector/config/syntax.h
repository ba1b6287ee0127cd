/*
 * How a setting is written, in words for people: what --help and the manual show for its value, its
 * default and its range. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_SYNTAX_H
#define SLUICE_COLLECTOR_CONFIG_SYNTAX_H

#include "collector/config/option_table.h"
#include "collector/config/setting.h"

/* Enough for any setting's syntax and its NUL. */
#define SYNTAX_SIZE 512

/* "SIZE", "json|influx", "unix:PATH": what stands for its value; empty where it has none. */
void syntax_of_value(const struct setting *setting, const struct config_registry *registry,
                     char text[SYNTAX_SIZE]);

/* The same of an option, which may also take a URL. */
void syntax_of_option(const struct option *option, const struct config_registry *registry,
                      char text[SYNTAX_SIZE]);

/* "default 4MiB, 4KiB to 1GiB", the range of a number alone; empty where it has no default. */
void syntax_of_default(const struct setting *setting, bool with_range, char text[SYNTAX_SIZE]);

#endif
