/* Implements random_bytes() with getrandom(2). */
#include "collector/platform/machine.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>

#include "collector/platform/posix/retry.h"

int random_bytes(uint8_t *bytes, size_t size, struct error *error)
{
    ssize_t got;
    unsigned times = 0;
    do
        got = getrandom(bytes, size, 0); /* up to 256 bytes are returned whole (getrandom(2)) */
    while (got < 0 && retry_interrupted(&times));
    if (got == (ssize_t)size)
        return 0;
    error_set(error, EXIT_CODE_INTERNAL, "cannot get random bytes: %s", strerror(errno));
    return -1;
}
