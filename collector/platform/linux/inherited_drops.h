/*
 * Remembers the drops of an inherited socket that this process has counted already, so that after a
 * reload the next listener counts only newer drops. Only for platform/linux/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_INHERITED_DROPS_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_INHERITED_DROPS_H

#include <stdint.h>

/*
 * Returns where the kernel's 32-bit counter of the socket is kept as it was last read, for the
 * thread that serves the socket. Valid until inherited_sockets_forget. Returns NULL if no inherited
 * socket has this descriptor.
 */
uint32_t *inherited_socket_drops(int handle);

#endif
