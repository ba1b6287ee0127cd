#include "collector/base/secure_clear.h"

#include <string.h>

/* Which function this is becomes known when it is called only, so the call cannot be removed. */
static void *(*const volatile fill)(void *memory, int byte, size_t size) = memset;

void secure_clear(void *memory, size_t size)
{
    if (memory != NULL)
        fill(memory, 0, size);
}
