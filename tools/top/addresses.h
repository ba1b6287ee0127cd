/*
 * Finds a running collector. If no address is given, tries the packaged service, then the
 * collectors of this user, then the address of the examples (own_collectors.h). One thread.
 */
#ifndef SLUICE_TOOLS_TOP_ADDRESSES_H
#define SLUICE_TOOLS_TOP_ADDRESSES_H

#include "collector/base/error.h"
#include "tools/top/connection.h"
#include "tools/top/own_collectors.h"

/*
 * Connects to `given` or, if it is NULL, to the first address that answers, and copies the address
 * to `address`. Returns 0, or -1 with `error` filled. If no address answers, the error has the
 * reason for each of them (EXIT_CODE_CANNOT_BIND). Otherwise it is that of connection_open.
 */
int addresses_open(const char *given, struct connection **out, char address[CONTROL_ADDRESS_SIZE],
                   struct error *error);

#endif
