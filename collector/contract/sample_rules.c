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
