/* The other end of a connection, for tests of what serves it. */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_TCP_CLIENT_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_TCP_CLIENT_H

#include "collector/base/address.h"
#include "collector/platform/wakeup.h"

/* A non-blocking connection to this address; closed by tcp_connection_close. */
wait_handle tcp_client_connect(const struct address *address);

/* Closes it so that the other side sees a reset. */
void tcp_client_reset(wait_handle client);

#endif
