/*
 * The part of an inherited socket's drops that this process has counted already: after a reload the
 * next listener counts only newer ones. Only for platform/linux/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_INHERITED_DROPS_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_INHERITED_DROPS_H

#include <stdint.h>

/*
 * The kernel's 32-bit counter when it was last read, valid until inherited_sockets_forget; for the
 * thread that serves the socket. NULL: no inherited socket has this descriptor.
 */
uint32_t *inherited_socket_drops(int handle);

#endif
