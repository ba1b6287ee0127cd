#include "collector/base/secure_clear.h"

#include <string.h>

/*
 * The pointer is volatile, so the compiler does not know the called function and cannot remove the
 * call.
 */
static void *(*const volatile fill)(void *memory, int byte, size_t size) = memset;

void secure_clear(void *memory, size_t size)
{
    if (memory != NULL)
        fill(memory, 0, size);
}
