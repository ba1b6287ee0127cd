#include "sinks/encoders/sample_filter.h"

#include "collector/text/glob.h"
#include "sinks/encoders/series_hash.h"

/* --- conditions ------------------------------------------------------------------------------- */

/* The terms that matched, one bit for each. */
struct matched {
    uint64_t include, exclude;
};

/* Returns a bit for each term that matches. If `key` is empty, `text` is the name of the metric. */
static uint64_t match(const struct sample_conditions *conditions, const struct text *key,
                      const struct text *text, size_t *steps)
{
    uint64_t found = 0;
    for (size_t i = 0; conditions != NULL && i < conditions->term_count; i++) {
        const struct sample_term *term = &conditions->terms[i];
        ++*steps;
        if (text_equal(&term->key, key) && glob_matches(&term->glob, text, steps, MAX_LABEL_STEPS))
            found |= UINT64_C(1) << i;
    }
    return found;
}

static void match_both(const struct sample_rules *rules, const struct text *key,
                       const struct text *text, size_t *steps, struct matched *matched)
{
    matched->include |= match(rules->include, key, text, steps);
    matched->exclude |= match(rules->exclude, key, text, steps);
}

static bool are_met(const struct sample_conditions *conditions, uint64_t matched)
{
    for (size_t i = 0; i < conditions->alternative_count; i++)
        if ((conditions->alternatives[i] & ~matched) == 0)
            return true;
    return false;
}

static bool pass(const struct sample_rules *rules, const struct matched *matched)
{
    return (rules->include == NULL || are_met(rules->include, matched->include)) &&
           (rules->exclude == NULL || !are_met(rules->exclude, matched->exclude));
}

static bool need_labels(const struct sample_rules *rules)
{
    return (rules->include != NULL && rules->include->of_labels != 0) ||
           (rules->exclude != NULL && rules->exclude->of_labels != 0);
}

/* --- samples ---------------------------------------------------------------------------------- */

static bool look_at_labels(const struct sample_rules *rules, struct sample_labels *labels,
                           struct matched *matched, uint64_t *series, struct output *out)
{
    struct label label;
    while (sample_labels_next_sent(labels, &label, out)) {
        if (label.key.size != 0)
            match_both(rules, &label.key, &label.value, &labels->steps, matched);
        if (rules->one_in == 0)
            continue;
        labels->steps += (label.key.size + label.value.size) / 8;
        *series += series_hash_label(&label);
    }
    return !out->overflow;
}

bool sample_filter_keeps(const struct sample_rules *rules, struct sample_labels *labels,
                         const struct record *record, const struct sample *sample,
                         struct output *out)
{
    static const struct text no_key = {NULL, 0};
    struct matched matched = {0};
    match_both(rules, &no_key, &sample->name, &labels->steps, &matched);
    out->overflow |= labels->steps > MAX_LABEL_STEPS;
    if (!need_labels(rules)) {
        bool kept = !out->overflow && pass(rules, &matched);
        if (!kept || rules->one_in == 0)
            return kept;
    }
    uint64_t series = rules->one_in != 0 ? series_hash_name(&sample->name) : 0;
    sample_labels_begin_sent(labels, record, sample);
    if (!look_at_labels(rules, labels, &matched, &series, out) || !pass(rules, &matched))
        return false;
    return rules->one_in == 0 || series_hash_whole(series) <= UINT64_MAX / rules->one_in;
}
