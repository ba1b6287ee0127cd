/* Addresses (collector/base/address.h) as Winsock has them. Of Windows' own files only. */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_SOCKET_ADDRESS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_SOCKET_ADDRESS_H

#include <winsock2.h>

#include "collector/base/address.h"

/* Fills `out` and returns how many bytes of it a call takes. */
int socket_address_to_system(const struct address *address, SOCKADDR_STORAGE *out);

/* The address of one of the two families that the system filled. */
struct address socket_address_from_system(const SOCKADDR_STORAGE *name);

#endif
