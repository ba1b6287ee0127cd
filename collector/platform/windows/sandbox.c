/* The functions of collector/platform/sandbox.h on a system without a sandbox of this kind. */
#include "collector/platform/sandbox.h"

#include <stdio.h>

bool sandbox_support(char text[SANDBOX_TEXT_SIZE])
{
    snprintf(text, SANDBOX_TEXT_SIZE,
             "none (not on Windows; give the service an account of its own)");
    return false;
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
    (void)plan;
    (void)wanted;
    missing[0] = '\0';
    return true;
}

void sandbox_plan_free(struct sandbox_plan *plan)
{
    *plan = (struct sandbox_plan){0};
}

int sandbox_enter(const struct sandbox_plan *plan, void (*refused)(void *context), void *context,
                  char text[SANDBOX_TEXT_SIZE], struct error *error)
{
    (void)plan;
    (void)refused;
    (void)context;
    sandbox_support(text);
    error_set(error, EXIT_CODE_CONFIG, "--sandbox: %s", text);
    return -1;
}

bool sandbox_take_refusal(struct sandbox_refusal *refusal)
{
    (void)refusal;
    return false;
}
