#include "sinks/encoders/sample_shape.h"

#include "collector/text/glob.h"

static void rename_text(const struct sample_pairs *list, struct text *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!text_equal(&list->pairs[i].from, text))
            continue;
        *text = list->pairs[i].to;
        return;
    }
}

void sample_shape_name(const struct sample_rules *rules, struct text *name)
{
    if (rules->rename != NULL)
        rename_text(rules->rename, name);
}

static bool matches_any(const struct sample_globs *list, const struct text *key, size_t *steps,
                        size_t limit)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        ++*steps;
        if (glob_matches(&list->globs[i], key, steps, limit))
            return true;
    }
    return false;
}

bool sample_shape_key(const struct sample_rules *rules, struct text *key, size_t *steps,
                      size_t limit)
{
    if (rules->keep_label != NULL && !matches_any(rules->keep_label, key, steps, limit))
        return false;
    if (matches_any(rules->drop_label, key, steps, limit))
        return false;
    if (rules->rename_label != NULL) {
        *steps += rules->rename_label->count;
        rename_text(rules->rename_label, key);
    }
    return true;
}
