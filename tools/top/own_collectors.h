/*
 * Control sockets of the collectors that the same user started, as the operating system tells.
 *
 * CMake picks the implementation under tools/platform/.
 */
#ifndef SLUICE_TOOLS_TOP_OWN_COLLECTORS_H
#define SLUICE_TOOLS_TOP_OWN_COLLECTORS_H

#include <stddef.h>

/* Bytes of the longest "unix:PATH" that connects, its NUL included. */
#define CONTROL_ADDRESS_SIZE 128

/* Fills in at most `most` addresses; returns how many there are of them. Any may be gone again. */
size_t own_collectors_find(char addresses[][CONTROL_ADDRESS_SIZE], size_t most);

#endif
