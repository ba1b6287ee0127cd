/*
 * Explores the given models, or all of them: `models [--found] [MODEL...]`. Prints the number of
 * states and runs of each model. Exits with 0 if no model has a fault or, with --found, if each one
 * has a fault.
 *
 * `models --weakened MODEL` makes each atomic operation of the model relaxed, one at a time, and
 * prints the results.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/log/log.h"
#include "tests/model/models.h"

#define MOST_STATES ((size_t)4000000)

static const struct named {
    const char *name;
    const struct model *model;
} models[] = {
#define NAMED(name) {#name, &model_##name},
    MODELS(NAMED)
#undef NAMED
};

#define COUNT (sizeof models / sizeof models[0])

static const struct named *find(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    return NULL;
}

static bool explore(const struct named *named, bool faulty)
{
    struct exploration done = model_explore(named->model, MOST_STATES);
    printf("%s: %zu states in %zu runs: %s\n", named->model->name, done.states, done.runs,
           done.fault != NULL ? done.fault : "nothing found");
    return (done.fault != NULL) == faulty;
}

static int weaken_each(const struct named *named)
{
    static const char *const orders[] = {"relaxed", "consume", "acquire",
                                         "release", "acq_rel", "seq_cst"};
    explore(named, false);
    size_t count = model_sites();
    for (size_t i = 0; i < count; i++) {
        struct model_site site = model_site(i);
        model_weaken(i);
        struct exploration done = model_explore(named->model, MOST_STATES);
        printf("%p %s %s: %s\n", site.address, orders[site.order], site.operation,
               done.fault != NULL ? done.fault : "nothing found");
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct log_settings quiet = {.level = LOG_ERROR};
    bool faulty = argc > 1 && strcmp(argv[1], "--found") == 0;
    bool well = true;
    log_set(&quiet);
    if (argc == 3 && strcmp(argv[1], "--weakened") == 0 && find(argv[2]) != NULL)
        return weaken_each(find(argv[2]));
    for (int i = 1 + faulty; i < argc; i++) {
        const struct named *named = find(argv[i]);
        if (named == NULL) {
            fprintf(stderr, "there is no model %s\n", argv[i]);
            return 64;
        }
        well = explore(named, faulty) && well;
    }
    for (size_t i = 0; argc == 1 && i < COUNT; i++)
        well = explore(&models[i], false) && well;
    return well ? 0 : 1;
}
