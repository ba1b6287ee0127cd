/*
 * Implements process_shield() with PR_SET_DUMPABLE of prctl(2): ptrace(2) and the permissions of
 * files in /proc depend on this flag.
 */
#include <sys/prctl.h>

#include "collector/platform/process.h"

bool process_shield(void)
{
    return prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) == 0;
}
