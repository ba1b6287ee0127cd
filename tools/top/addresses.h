/*
 * Finds a running collector: at a given address, or else the packaged service, a collector of the
 * same user, or one at the address of the examples.
 *
 * One thread.
 */
#ifndef SLUICE_TOOLS_TOP_ADDRESSES_H
#define SLUICE_TOOLS_TOP_ADDRESSES_H

#include "collector/base/error.h"
#include "tools/top/connection.h"
#include "tools/top/own_collectors.h"

/* The control addresses of the packaged service (tools/packaging/sluice.yaml) and of examples. */
#define ADDRESSES_SERVICE "unix:/run/sluice/control"
#define ADDRESSES_EXAMPLE "unix:/tmp/sluice.sock"

/*
 * Connects to `given`, or, if that is NULL, to the first address that answers, which is copied to
 * `address`. Returns 0, or -1 with `error` filled: with the addresses that were tried
 * (EXIT_CODE_CANNOT_BIND), or as by connection_open.
 */
int addresses_open(const char *given, struct connection **out, char address[CONTROL_ADDRESS_SIZE],
                   struct error *error);

#endif
