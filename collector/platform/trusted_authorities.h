/*
 * The authorities whose certificates this system trusts, for clients of TLS.
 *
 * A port whose TLS library knows where the system has them compiles common/trusted_authorities.c. A
 * library that is linked into a program for any distribution knows one place only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_TRUSTED_AUTHORITIES_H
#define SLUICE_COLLECTOR_PLATFORM_TRUSTED_AUTHORITIES_H

#include "collector/base/error.h"

/*
 * Sets *file to the path (a constant) of the file that the library must be told to read, or to NULL
 * if it finds the authorities itself. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG) if
 * the system has no such file. Any thread.
 */
int trusted_authorities_find(const char **file, struct error *error);

#endif
