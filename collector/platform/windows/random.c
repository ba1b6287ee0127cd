/* Implements random_bytes() with RtlGenRandom, which ADVAPI32 exports as SystemFunction036. */
#include "collector/platform/machine.h"

#include <windows.h>

#include "collector/platform/windows/system_error.h"

#define RtlGenRandom SystemFunction036
BOOLEAN NTAPI RtlGenRandom(PVOID bytes, ULONG size);

int random_bytes(uint8_t *bytes, size_t size, struct error *error)
{
    if (RtlGenRandom(bytes, (ULONG)size))
        return 0;
    error_set(error, EXIT_CODE_INTERNAL, "cannot get random bytes: %s",
              system_error(GetLastError()).text);
    return -1;
}
