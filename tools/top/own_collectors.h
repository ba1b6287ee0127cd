/*
 * Finds the control sockets of collectors that this user has started.
 *
 * CMake picks the implementation under tools/platform/.
 */
#ifndef SLUICE_TOOLS_TOP_OWN_COLLECTORS_H
#define SLUICE_TOOLS_TOP_OWN_COLLECTORS_H

#include <stddef.h>

/* Largest size of an address "unix:PATH", with its NUL, in bytes. */
#define CONTROL_ADDRESS_SIZE 128

/* Stores at most `most` addresses and returns their number. A collector may have ended since. */
size_t own_collectors_find(char addresses[][CONTROL_ADDRESS_SIZE], size_t most);

#endif
