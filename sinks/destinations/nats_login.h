/*
 * Reads the credentials of a NATS client from the file of `credentials_file=`. It is either a file
 * written by `nsc` (a JWT and the seed of its key), or a file of properties (property_file.h):
 * `user=` and `password=`, or `token=`, or `nkey=` (the public key) and `seed_file=` (the file with
 * its seed).
 */
#ifndef SLUICE_SINKS_DESTINATIONS_NATS_LOGIN_H
#define SLUICE_SINKS_DESTINATIONS_NATS_LOGIN_H

#include "collector/base/error.h"
#include "sinks/destinations/nats_library.h"

/*
 * Reads the file into the options. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG); the
 * error contains no secret.
 */
int nats_login_read(const struct nats_library *library, natsOptions *options, const char *path,
                    struct error *error);

#endif
