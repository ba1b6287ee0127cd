/* process_shield(): the owner of a process can always give himself the right to read it. */
#include "collector/platform/process.h"

bool process_shield(void)
{
    return false;
}
