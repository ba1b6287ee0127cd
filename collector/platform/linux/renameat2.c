/* Implements renameat2() for a static build with musl 1.2.3, which lacks it. */
#include "collector/platform/linux/renameat2.h"

#include <sys/syscall.h>
#include <unistd.h>

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
