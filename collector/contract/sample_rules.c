#include "collector/contract/sample_rules.h"

#include <stdlib.h>

const char *sample_rules_given(const struct sample_rules *rules)
{
    const struct {
        const char *name;
        bool given;
    } keys[] = {
        {"include", rules->include != NULL},
        {"exclude", rules->exclude != NULL},
        {"sample", rules->one_in != 0},
        {"rename", rules->rename != NULL},
        {"rename_label", rules->rename_label != NULL},
        {"add_label", rules->add_label != NULL},
        {"keep_label", rules->keep_label != NULL},
        {"drop_label", rules->drop_label != NULL},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].given)
            return keys[i].name;
    return NULL;
}

/* --- whether they are the same ---------------------------------------------------------------- */

static bool conditions_equal(const struct sample_conditions *a, const struct sample_conditions *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    if (a->term_count != b->term_count || a->alternative_count != b->alternative_count)
        return false;
    for (size_t i = 0; i < a->term_count; i++)
        if (!text_equal(&a->terms[i].key, &b->terms[i].key) ||
            !text_equal(&a->terms[i].glob, &b->terms[i].glob))
            return false;
    for (size_t i = 0; i < a->alternative_count; i++)
        if (a->alternatives[i] != b->alternatives[i])
            return false;
    return true;
}

static bool pairs_equal(const struct sample_pairs *a, const struct sample_pairs *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!text_equal(&a->pairs[i].from, &b->pairs[i].from) ||
            !text_equal(&a->pairs[i].to, &b->pairs[i].to))
            return false;
    return true;
}

static bool globs_equal(const struct sample_globs *a, const struct sample_globs *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!text_equal(&a->globs[i], &b->globs[i]))
            return false;
    return true;
}

bool sample_rules_equal(const struct sample_rules *a, const struct sample_rules *b)
{
    return conditions_equal(a->include, b->include) && conditions_equal(a->exclude, b->exclude) &&
           a->one_in == b->one_in && pairs_equal(a->rename, b->rename) &&
           pairs_equal(a->rename_label, b->rename_label) &&
           pairs_equal(a->add_label, b->add_label) && globs_equal(a->keep_label, b->keep_label) &&
           globs_equal(a->drop_label, b->drop_label);
}

void sample_rules_free(struct sample_rules *rules)
{
    free(rules->include);
    free(rules->exclude);
    free(rules->rename);
    free(rules->rename_label);
    free(rules->add_label);
    free(rules->keep_label);
    free(rules->drop_label);
    *rules = (struct sample_rules){0};
}
