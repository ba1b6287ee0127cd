/* Implements process_shield() with PR_SET_DUMPABLE of prctl(2), on which ptrace(2) and the rights
 * in /proc depend. */
#include <sys/prctl.h>

#include "collector/platform/process.h"

bool process_shield(void)
{
    return prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) == 0;
}
