/*
 * Finds the certificates of the authorities that this system trusts, for clients of TLS.
 *
 * A port whose TLS library finds them itself compiles common/trusted_authorities.c. A library that
 * is linked into a program for several distributions cannot: it looks in one place only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_TRUSTED_AUTHORITIES_H
#define SLUICE_COLLECTOR_PLATFORM_TRUSTED_AUTHORITIES_H

#include "collector/base/error.h"

/*
 * Sets *file to the path (a constant) of the file that the library must be configured to read, or
 * to NULL if it finds the authorities itself. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CONFIG) if the system has no such file. Any thread.
 */
int trusted_authorities_find(const char **file, struct error *error);

#endif
