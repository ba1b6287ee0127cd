/*
 * Finds the control sockets of collectors that the same user has started.
 *
 * CMake picks the implementation under tools/platform/.
 */
#ifndef SLUICE_TOOLS_TOP_OWN_COLLECTORS_H
#define SLUICE_TOOLS_TOP_OWN_COLLECTORS_H

#include <stddef.h>

/* Bytes of the longest "unix:PATH" that connects, its NUL included. */
#define CONTROL_ADDRESS_SIZE 128

/* Fills in at most `most` addresses and returns their number. They may be outdated. */
size_t own_collectors_find(char addresses[][CONTROL_ADDRESS_SIZE], size_t most);

#endif
