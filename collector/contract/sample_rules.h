/*
 * What a sink makes of samples before they are written: which of them it keeps, and how they are
 * called. Its keys include=, exclude=, sample=, rename=, rename_label=, add_label=, keep_label= and
 * drop_label=.
 *
 * A value, all zero for "every sample as it came"; read by config/rules.h, followed by sinks/. Its
 * lists are owned by the value that sample_rules_free is called for; copies of it only borrow them.
 * Immutable once made; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_SAMPLE_RULES_H
#define SLUICE_COLLECTOR_CONTRACT_SAMPLE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/schema.h"

/* What one key may list: globs of all its conditions, pairs, or names. */
#define SAMPLE_LIST_MAX 64

/* One glob, and what it is about. */
struct sample_term {
    struct text key; /* of the label; empty: the metric's name */
    struct text glob;
};

/* A sample meets them where, of one alternative, all terms match. */
struct sample_conditions {
    size_t term_count;
    struct sample_term terms[SAMPLE_LIST_MAX];
    uint64_t of_labels; /* a bit for each term that is about a label */
    size_t alternative_count;
    uint64_t alternatives[SAMPLE_LIST_MAX]; /* of each, a bit for each of its terms */
    char written[];                         /* what the texts are parts of */
};

struct sample_pair {
    struct text from, to; /* the old name and the new one; a label and its value */
};

struct sample_pairs {
    size_t count;
    struct sample_pair pairs[SAMPLE_LIST_MAX]; /* no two of them from the same */
    char written[];
};

struct sample_globs {
    size_t count;
    struct text globs[SAMPLE_LIST_MAX];
    char written[];
};

/* NULL or 0: not given. */
struct sample_rules {
    struct sample_conditions *include, *exclude;
    uint64_t one_in; /* of so many series one is kept */
    struct sample_pairs *rename, *rename_label, *add_label;
    struct sample_globs *keep_label, *drop_label;
};

/* Whether they leave samples out. */
static inline bool sample_rules_filter(const struct sample_rules *rules)
{
    return rules->include != NULL || rules->exclude != NULL || rules->one_in != 0;
}

/* The name of a key that was given, "include" or the like; NULL: none was. */
const char *sample_rules_given(const struct sample_rules *rules);

/* Whether both make the same of every sample. */
bool sample_rules_equal(const struct sample_rules *a, const struct sample_rules *b);

/* Frees the lists, not the struct itself, and leaves it all zero. */
void sample_rules_free(struct sample_rules *rules);

#endif
