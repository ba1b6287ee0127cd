/*
 * Converts addresses (collector/base/address.h) to and from Winsock's addresses. Only for Windows.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_SOCKET_ADDRESS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_SOCKET_ADDRESS_H

#include <winsock2.h>

#include "collector/base/address.h"

/* Fills `out` and returns its length for a system call. */
int socket_address_to_system(const struct address *address, SOCKADDR_STORAGE *out);

/* Converts an IPv4 or IPv6 address that the system filled. */
struct address socket_address_from_system(const SOCKADDR_STORAGE *name);

#endif
