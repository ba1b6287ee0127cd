#include "collector/program/sandboxing.h"

#include <stdio.h>
#include <stdlib.h>

#include "collector/log/log.h"
#include "collector/platform/sandbox.h"
#include "collector/program/sandbox_needs.h"

struct sandboxing {
    struct sandbox_plan plan;
};

/*
 * Fills *state with the level of sandbox that is possible. If it is SANDBOX_LEVEL_OFF, the text in
 * *state is the reason.
 */
static void find_possible(const struct config *config, struct sandbox_state *state)
{
    const char *obstacle = sandbox_needs_obstacle(config);
    sandbox_support(state);
    if (obstacle == NULL)
        return;
    state->level = SANDBOX_LEVEL_OFF;
    snprintf(state->text, sizeof state->text, "%s", obstacle);
}

int sandboxing_check(const struct config *config, struct error *error)
{
    struct sandbox_state possible;
    if (config->sandbox != SANDBOX_ON)
        return 0;
    find_possible(config, &possible);
    if (possible.level != SANDBOX_LEVEL_OFF)
        return 0;
    error_set(error, EXIT_CODE_CONFIG,
              "--sandbox on: not possible: %s; --sandbox auto starts without it", possible.text);
    return -1;
}

void sandboxing_expect(const struct config *config)
{
    if (config->sandbox != SANDBOX_OFF)
        sandbox_expect();
}

/* Records that the process has no sandbox, and logs the reason unless it is NULL. */
static void stay_outside(const char *reason)
{
    static const char begin[] = "off: ";
    struct sandbox_state state = {SANDBOX_LEVEL_OFF, "off"};
    const int room = (int)(sizeof state.text - sizeof begin);
    if (reason != NULL)
        snprintf(state.text, sizeof state.text, "%s%.*s", begin, room, reason);
    sandbox_note(&state);
    if (reason != NULL)
        log_line(LOG_INFO, "sandbox: %s", state.text);
}

/*
 * Enters the sandbox. If a part of it fails, --sandbox=on ends the program; --sandbox=auto uses the
 * parts that work.
 */
static int enter(struct sandboxing *made, const struct config *config,
                 void (*notify)(void *context), void *context, struct error *error)
{
    struct sandbox_state state;
    int result = sandbox_enter(&made->plan, notify, context, &state, error);
    if (result == 0 && state.level == SANDBOX_LEVEL_OFF)
        error_set(error, EXIT_CODE_INTERNAL, "%s", state.text);
    if (config->sandbox == SANDBOX_ON && (result != 0 || state.level == SANDBOX_LEVEL_OFF)) {
        error_place(error, "--sandbox on");
        return -1;
    }
    sandbox_note(&state);
    if (result != 0)
        log_line(LOG_WARNING, "sandbox: %s; the rest failed: %s", state.text, error->text);
    else
        log_line(LOG_INFO, "sandbox: %s", state.text);
    return 0;
}

static int sandboxing_make(struct sandboxing **out, const struct config *config,
                           void (*notify)(void *context), void *context, struct error *error)
{
    struct sandboxing *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    int result = sandbox_needs_find(config, &made->plan)
                     ? enter(made, config, notify, context, error)
                     : error_no_memory(error);
    if (result == 0)
        *out = made;
    else
        sandboxing_destroy(made);
    return result;
}

int sandboxing_enter(struct sandboxing **out, const struct config *config,
                     void (*notify)(void *context), void *context, struct error *error)
{
    struct sandbox_state possible;
    *out = NULL;
    if (config->sandbox == SANDBOX_OFF) {
        stay_outside(NULL);
        return 0;
    }
    if (sandboxing_check(config, error) != 0)
        return -1;
    find_possible(config, &possible);
    if (possible.level == SANDBOX_LEVEL_OFF) {
        stay_outside(possible.text);
        return 0;
    }
    return sandboxing_make(out, config, notify, context, error);
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

void sandboxing_explain(const struct sandboxing *sandboxing, struct error *error)
{
    if (sandboxing == NULL || !sandbox_may_cause(error->text))
        return;
    char text[sizeof error->text];
    snprintf(text, sizeof text, "%s", error->text);
    error_set(error, error->code,
              "%s; if it is outside the sandbox, which is made at the start, restart to add it",
              text);
}

void sandboxing_report(const struct sandboxing *sandboxing)
{
    struct sandbox_refusal refusal;
    /* Logs a line for each call; the log counts its repetitions. */
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
