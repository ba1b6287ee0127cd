#include "tests/integration/client/driver_sealing.h"

#include <stdio.h>
#include <string.h>

#include "tools/client/sluice_seal.h"

struct sluice_sealer *driver_sealer_open(const char *keys, const char *key, const char *mode)
{
    char why[SLUICE_SEALER_WHY];
    struct sluice_sealer *sealer = sluice_sealer_open(
        keys, key,
        strcmp(mode, "encrypted") == 0 ? SLUICE_SEAL_ENCRYPTED : SLUICE_SEAL_AUTHENTICATED, why);
    if (sealer == NULL)
        fprintf(stderr, "%s\n", why);
    return sealer;
}

void driver_sealer_close(struct sluice_sealer *sealer)
{
    sluice_sealer_close(sealer);
}
