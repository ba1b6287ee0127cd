#include "collector/base/secure_clear.h"

#include <string.h>

/* Volatile: the compiler does not know which function is called, so it cannot remove the call. */
static void *(*const volatile fill)(void *memory, int byte, size_t size) = memset;

void secure_clear(void *memory, size_t size)
{
    if (memory != NULL)
        fill(memory, 0, size);
}
