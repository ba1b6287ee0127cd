/* A TCP client, for tests of servers. */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_TCP_CLIENT_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_TCP_CLIENT_H

#include "collector/base/address.h"
#include "collector/platform/wakeup.h"

/* Connects to this address without blocking. tcp_connection_close closes the connection. */
wait_handle tcp_client_connect(const struct address *address);

/* Closes the connection so that the peer sees a reset. */
void tcp_client_reset(wait_handle client);

#endif
