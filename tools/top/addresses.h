/*
 * Where a collector answers: at the address that was given, or, without one, where the packaged
 * service does, where a collector of the same user does, or at the address of the examples.
 *
 * One thread.
 */
#ifndef SLUICE_TOOLS_TOP_ADDRESSES_H
#define SLUICE_TOOLS_TOP_ADDRESSES_H

#include "collector/base/error.h"
#include "tools/top/connection.h"
#include "tools/top/own_collectors.h"

/* Of the packaged service (tools/packaging/sluice.yaml), and of examples. */
#define ADDRESSES_SERVICE "unix:/run/sluice/control"
#define ADDRESSES_EXAMPLE "unix:/tmp/sluice.sock"

/*
 * Connects to `given`, or, where that is NULL, to the first place where somebody answers; its
 * address is copied to `address`. Returns 0, or -1 with `error` filled, which then names the places
 * that were tried (EXIT_CODE_CANNOT_BIND), or as connection_open does.
 */
int addresses_open(const char *given, struct connection **out, char address[CONTROL_ADDRESS_SIZE],
                   struct error *error);

#endif
