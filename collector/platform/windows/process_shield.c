/* Returns false: the owner of a process can always get the right to read it. */
#include "collector/platform/process.h"

bool process_shield(void)
{
    return false;
}
