#include "collector/program/sandboxing.h"

#include <stdlib.h>

#include "collector/log/log.h"
#include "collector/platform/sandbox.h"
#include "collector/program/sandbox_needs.h"

struct sandboxing {
    struct sandbox_plan plan;
};

/* Returns whether a sandbox is possible, or why not. */
static bool is_possible(const struct config *config, char text[SANDBOX_TEXT_SIZE],
                        const char **obstacle)
{
    *obstacle = sandbox_needs_obstacle(config);
    if (*obstacle != NULL)
        return false;
    if (sandbox_support(text))
        return true;
    *obstacle = text;
    return false;
}

int sandboxing_check(const struct config *config, struct error *error)
{
    char text[SANDBOX_TEXT_SIZE];
    const char *obstacle;
    if (config->sandbox != SANDBOX_ON || is_possible(config, text, &obstacle))
        return 0;
    error_set(error, EXIT_CODE_CONFIG, "--sandbox on: not possible: %s", obstacle);
    return -1;
}

static int enter(struct sandboxing *made, const struct config *config,
                 void (*notify)(void *context), void *context, struct error *error)
{
    char text[SANDBOX_TEXT_SIZE];
    if (!sandbox_needs_find(config, &made->plan))
        return error_no_memory(error);
    if (sandbox_enter(&made->plan, notify, context, text, error) != 0)
        return -1;
    log_line(LOG_INFO, "sandbox: %s", text);
    return 0;
}

int sandboxing_enter(struct sandboxing **out, const struct config *config,
                     void (*notify)(void *context), void *context, struct error *error)
{
    char text[SANDBOX_TEXT_SIZE];
    const char *obstacle;
    *out = NULL;
    if (config->sandbox == SANDBOX_OFF)
        return 0;
    if (sandboxing_check(config, error) != 0)
        return -1;
    if (!is_possible(config, text, &obstacle)) {
        log_line(LOG_INFO, "sandbox: off: %s", obstacle);
        return 0;
    }
    struct sandboxing *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    if (enter(made, config, notify, context, error) != 0) {
        sandboxing_destroy(made);
        return -1;
    }
    *out = made;
    return 0;
}

int sandboxing_permits(const struct sandboxing *sandboxing, const struct config *config,
                       struct error *error)
{
    struct sandbox_plan wanted = {0};
    char missing[SANDBOX_MISSING_SIZE];
    if (sandboxing == NULL)
        return 0;
    const char *obstacle = sandbox_needs_obstacle(config);
    bool found = sandbox_needs_find(config, &wanted);
    bool covered = found && sandbox_plan_covers(&sandboxing->plan, &wanted, missing);
    sandbox_plan_free(&wanted);
    if (!found)
        return error_no_memory(error);
    if (obstacle == NULL && covered)
        return 0;
    if (obstacle != NULL)
        error_set(error, EXIT_CODE_CONFIG, "the sandbox: %s; restart to change this", obstacle);
    else
        error_set(error, EXIT_CODE_CONFIG,
                  "%s: outside the sandbox, which is made at the start; restart to add it",
                  missing);
    return -1;
}

void sandboxing_report(const struct sandboxing *sandboxing)
{
    struct sandbox_refusal refusal;
    /* One line for each call; the log counts its repetitions. */
    while (sandboxing != NULL && sandbox_take_refusal(&refusal))
        log_line(
            LOG_ERROR,
            "sandbox: the system call %s (%u) was refused: an intruder, or a need of a library "
            "that this version does not know",
            refusal.name, refusal.number);
}

void sandboxing_destroy(struct sandboxing *sandboxing)
{
    if (sandboxing == NULL)
        return;
    sandbox_plan_free(&sandboxing->plan);
    free(sandboxing);
}
