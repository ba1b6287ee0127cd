/*
 * How many of an inherited socket's drops this process has counted already: whoever serves it next,
 * after a reload, counts those that came since. Of platform/linux only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_INHERITED_DROPS_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_INHERITED_DROPS_H

#include <stdint.h>

/*
 * The kernel's 32-bit count when it was last read, kept until inherited_sockets_forget; for the
 * thread that serves the socket. NULL: no inherited socket has this descriptor.
 */
uint32_t *inherited_socket_drops(int handle);

#endif
