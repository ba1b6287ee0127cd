/*
 * Parses the keys of a sink for samples (collector/contract/sample_rules.h). Pure; any thread.
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

/* The largest N of 1/N. */
#define RULES_SHARE_MAX 1000000

/*
 * "cpu.*;host=web*,mem*" into struct sample_conditions *: commas separate alternatives, semicolons
 * the conditions of an alternative, which must all hold. A label's key is before the first '='.
 */
bool rules_parse_conditions(const char *name, const char *text, size_t length, void *field,
                            struct parse_error *fault);

/* "1/100" into uint64_t: the N. */
bool rules_parse_share(const char *name, const char *text, size_t length, void *field,
                       struct parse_error *fault);

/* "old:new,..." into struct sample_pairs *. */
bool rules_parse_renames(const char *name, const char *text, size_t length, void *field,
                         struct parse_error *fault);

/* "key=value,..." into struct sample_pairs *. A value may contain '='. */
bool rules_parse_labels(const char *name, const char *text, size_t length, void *field,
                        struct parse_error *fault);

/* "tmp,k8s.*" into struct sample_globs *. */
bool rules_parse_globs(const char *name, const char *text, size_t length, void *field,
                       struct parse_error *fault);

/* buckets= ("changed"): a uint64_t, as in struct encoder_options. */
#define RULES_BUCKETS_SYNTAX "all|changed|N"
bool rules_parse_buckets(const char *name, const char *text, size_t length, void *field,
                         struct parse_error *fault);

/*
 * The first label of rename_label= that another key has already dropped, and that key in *by; NULL
 * if there is no such label.
 */
const struct text *rules_dropped_rename(const struct sample_rules *rules, const char **by);

#endif
