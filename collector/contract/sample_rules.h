/*
 * The keys of a sink that select and rename samples: include=, exclude=, sample=, rename=,
 * rename_label=, add_label=, keep_label= and drop_label=.
 *
 * If the struct is all zero, all samples pass unchanged. Parsed by config/rules.h, applied by
 * sinks/. The struct that is passed to sample_rules_free owns the lists; copies borrow them.
 * Immutable; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_SAMPLE_RULES_H
#define SLUICE_COLLECTOR_CONTRACT_SAMPLE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/schema.h"

/* The maximum number of items in the value of one key: globs of all conditions, pairs, or names. */
#define SAMPLE_LIST_MAX 64

/* One glob for a name or a label. */
struct sample_term {
    struct text key; /* name of the label; empty: the metric's name */
    struct text glob;
};

/* A sample matches if all terms of one alternative match. */
struct sample_conditions {
    size_t term_count;
    struct sample_term terms[SAMPLE_LIST_MAX];
    uint64_t of_labels; /* bit i is set if term i is about a label */
    size_t alternative_count;
    uint64_t alternatives[SAMPLE_LIST_MAX]; /* for each alternative, a bit for each of its terms */
    char written[];                         /* storage of the texts */
};

struct sample_pair {
    struct text from, to; /* old and new name, or the name and value of a label */
};

struct sample_pairs {
    size_t count;
    struct sample_pair pairs[SAMPLE_LIST_MAX]; /* all `from` differ from each other */
    char written[];
};

struct sample_globs {
    size_t count;
    struct text globs[SAMPLE_LIST_MAX];
    char written[];
};

/* The members are NULL or 0 if their keys were not given. */
struct sample_rules {
    struct sample_conditions *include, *exclude;
    uint64_t one_in; /* one of this number of series is kept */
    struct sample_pairs *rename, *rename_label, *add_label;
    struct sample_globs *keep_label, *drop_label;
};

/* Returns true if the rules can drop samples. */
static inline bool sample_rules_filter(const struct sample_rules *rules)
{
    return rules->include != NULL || rules->exclude != NULL || rules->one_in != 0;
}

/* Returns the name of the first key that was given, for example "include", or NULL. */
const char *sample_rules_given(const struct sample_rules *rules);

/* Frees the lists and zeroes the struct; does not free the struct. */
void sample_rules_free(struct sample_rules *rules);

#endif
