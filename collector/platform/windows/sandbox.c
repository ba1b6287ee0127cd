/*
 * Implements the sandbox with mitigation policies of the process (mitigation.h). They restrict
 * neither files nor ports; the account of a service does that. So a plan only contains whether
 * programs are started. These programs do not inherit the policies.
 */
#include "collector/platform/sandbox.h"

#include <stdio.h>
#include <string.h>

#include "collector/platform/windows/mitigation.h"

#define NOT_FILES "; the account restricts files"

const bool sandbox_is_inherited = false;

void sandbox_support(struct sandbox_state *state)
{
    bool has = mitigation_system() != NULL;
    state->level = has ? SANDBOX_LEVEL_PARTIAL : SANDBOX_LEVEL_OFF;
    snprintf(state->text, sizeof state->text, "%s",
             has ? "mitigation policies" NOT_FILES
                 : "none (not on this Windows; give the service an account of its own)");
}

bool sandbox_plan_add(struct sandbox_plan *plan, const char *path, unsigned uses)
{
    (void)plan;
    (void)path;
    (void)uses;
    return true;
}

bool sandbox_plan_add_program(struct sandbox_plan *plan, const char *name)
{
    plan->runs_programs = true;
    return sandbox_plan_add(plan, name, SANDBOX_RUN);
}

bool sandbox_plan_add_system(struct sandbox_plan *plan)
{
    return sandbox_plan_add(plan, "", SANDBOX_READ);
}

bool sandbox_plan_add_input(struct sandbox_plan *plan, const char *path)
{
    return sandbox_plan_add(plan, path, SANDBOX_READ);
}

bool sandbox_plan_add_output(struct sandbox_plan *plan, const char *path)
{
    return sandbox_plan_add(plan, path, SANDBOX_WRITE);
}

bool sandbox_plan_covers(const struct sandbox_plan *plan, const struct sandbox_plan *wanted,
                         char missing[SANDBOX_MISSING_SIZE])
{
    snprintf(missing, SANDBOX_MISSING_SIZE, "other programs");
    return plan->runs_programs || !wanted->runs_programs;
}

void sandbox_plan_free(struct sandbox_plan *plan)
{
    *plan = (struct sandbox_plan){0};
}

int sandbox_enter(struct sandbox_plan *plan, void (*refused)(void *context), void *context,
                  struct sandbox_state *state, struct error *error)
{
    static const char end[] = NOT_FILES;
    const struct mitigation_functions *functions = mitigation_system();
    char names[SANDBOX_TEXT_SIZE - sizeof end];
    (void)refused; /* the system reports refusals in its event log */
    (void)context;
    (void)error;
    if (functions != NULL &&
        mitigation_apply(functions, plan->runs_programs, names, sizeof names) != 0) {
        state->level = SANDBOX_LEVEL_PARTIAL;
        snprintf(state->text, sizeof state->text, "%s%s", names, end);
        return 0;
    }
    *state = (struct sandbox_state){SANDBOX_LEVEL_OFF,
                                    "none (this Windows has put no mitigation policy into force)"};
    plan->runs_programs = true;
    return 0;
}

bool sandbox_may_cause(const char *text)
{
    (void)text;
    return false;
}

bool sandbox_take_refusal(struct sandbox_refusal *refusal)
{
    (void)refusal;
    return false;
}
