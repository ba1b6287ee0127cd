/*
 * Parses the keys of a sink that select or change samples (collector/contract/sample_rules.h).
 * Pure; any thread.
 *
 * Each parser is a setting_parser (setting.h): it parses all `length` bytes of `text` and stores a
 * list in `field`, which the caller frees with sample_rules_free. It returns false with `fault`
 * filled, its offset counted from the beginning of `text`. Lists are separated by commas and have
 * no empty items.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_RULES_H
#define SLUICE_COLLECTOR_CONFIG_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"
#include "collector/contract/sample_rules.h"

/* Syntax for help texts. */
#define RULES_CONDITION_SYNTAX "[LABEL=]GLOB[;...],..."
#define RULES_SHARE_SYNTAX     "1/N"
#define RULES_RENAME_SYNTAX    "OLD:NEW,..."
#define RULES_LABEL_SYNTAX     "LABEL=VALUE,..."
#define RULES_GLOBS_SYNTAX     "GLOB,..."

/* The largest N in a share of 1/N. */
#define RULES_SHARE_MAX 1000000

/*
 * Parses "cpu.*;host=web*,mem*" into a struct sample_conditions *. Commas separate alternatives.
 * Semicolons separate the conditions of one alternative, which must all hold. The key of a label is
 * before the first '='.
 */
bool rules_parse_conditions(const char *name, const char *text, size_t length, void *field,
                            struct parse_error *fault);

/* Parses "1/100" into a uint64_t: the number after the slash. */
bool rules_parse_share(const char *name, const char *text, size_t length, void *field,
                       struct parse_error *fault);

/* Parses "old:new,..." into a struct sample_pairs *. */
bool rules_parse_renames(const char *name, const char *text, size_t length, void *field,
                         struct parse_error *fault);

/* Parses "key=value,..." into a struct sample_pairs *. A value may contain '='. */
bool rules_parse_labels(const char *name, const char *text, size_t length, void *field,
                        struct parse_error *fault);

/* Parses "tmp,k8s.*" into a struct sample_globs *. */
bool rules_parse_globs(const char *name, const char *text, size_t length, void *field,
                       struct parse_error *fault);

/* Parses buckets= into a uint64_t as in struct encoder_options: "all", "changed" or a number. */
#define RULES_BUCKETS_SYNTAX "all|changed|N"
bool rules_parse_buckets(const char *name, const char *text, size_t length, void *field,
                         struct parse_error *fault);

/*
 * Returns the first label of rename_label= that cannot be renamed because another key of the sink
 * drops it. Stores the name of that key in *by. Returns NULL if there is no such label.
 */
const struct text *rules_dropped_rename(const struct sample_rules *rules, const char **by);

#endif
