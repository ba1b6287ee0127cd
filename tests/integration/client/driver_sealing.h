/* Opens sealers for driver.c. */
#ifndef TESTS_INTEGRATION_CLIENT_DRIVER_SEALING_H
#define TESTS_INTEGRATION_CLIENT_DRIVER_SEALING_H

#include "tools/client/sluice_client.h"

/*
 * Opens a sealer. `mode` is "encrypted" or "authenticated"; `key` may be NULL. Returns NULL with
 * errno set on failure. Without libsodium it ends the program.
 */
struct sluice_sealer *driver_sealer_open(const char *keys, const char *key, const char *mode);

void driver_sealer_close(struct sluice_sealer *sealer);

#endif
