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

bool sample_shape_key(const struct sample_rules *rules, struct text *key, size_t *steps,
                      size_t limit)
{
    const struct sample_globs *dropped = rules->drop_label;
    for (size_t i = 0; dropped != NULL && i < dropped->count; i++) {
        ++*steps;
        if (glob_matches(&dropped->globs[i], key, steps, limit))
            return false;
    }
    if (rules->rename_label != NULL) {
        *steps += rules->rename_label->count;
        rename_text(rules->rename_label, key);
    }
    return true;
}
