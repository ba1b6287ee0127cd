/*
 * Implements driver_sealing.h in builds without libsodium. There the tests of sealing are skipped.
 */
#include <stdlib.h>

#include "tests/integration/client/driver_sealing.h"

struct sluice_sealer *driver_sealer_open(const char *keys, const char *key, const char *mode)
{
    (void)keys;
    (void)key;
    (void)mode;
    abort();
}

void driver_sealer_close(struct sluice_sealer *sealer)
{
    (void)sealer;
}
