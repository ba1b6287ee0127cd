#include "collector/platform/sandbox.h"

#include <stdatomic.h>

static struct sandbox_state noted;
static bool is_noted;
static atomic_bool is_expected;

void sandbox_expect(void)
{
    atomic_store(&is_expected, true);
}

bool sandbox_is_expected(void)
{
    return atomic_load(&is_expected);
}

void sandbox_note(const struct sandbox_state *state)
{
    noted = *state;
    is_noted = true;
    atomic_store(&is_expected, false);
}

const struct sandbox_state *sandbox_in_force(void)
{
    return is_noted ? &noted : NULL;
}

const char *sandbox_level_name(enum sandbox_level level)
{
    static const char *const names[] = {[SANDBOX_LEVEL_OFF] = "off",
                                        [SANDBOX_LEVEL_PARTIAL] = "partial",
                                        [SANDBOX_LEVEL_ON] = "on"};
    return names[level];
}
