/*
 * How a client of NATS says who it is: the file of `credentials_file=`. It is either what `nsc`
 * writes (a JWT and the seed of its key), or a file of properties (property_file.h): `user=` and
 * `password=`, or `token=`, or `nkey=` (the public key) and `seed_file=` (where its seed is).
 */
#ifndef SLUICE_SINKS_DESTINATIONS_NATS_LOGIN_H
#define SLUICE_SINKS_DESTINATIONS_NATS_LOGIN_H

#include "collector/base/error.h"
#include "sinks/destinations/nats_library.h"

/*
 * Reads the file into the options. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG), without
 * anything in it that is secret.
 */
int nats_login_read(const struct nats_library *library, natsOptions *options, const char *path,
                    struct error *error);

#endif
