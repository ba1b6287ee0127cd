/*
 * A TCP socket that others may connect to, without a word on what is said there. Main thread. CMake
 * picks the implementation under platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_TCP_LISTENER_H
#define SLUICE_COLLECTOR_PLATFORM_TCP_LISTENER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/platform/wakeup.h"

/*
 * Binds a non-blocking one and listens; *bound is the address with the port that the system chose
 * where none was wanted. "::" takes IPv4, too, but for `ipv6_only`. Returns it, to be closed by
 * tcp_listener_close or by whom it is given to, or NO_HANDLE with `error` filled
 * (EXIT_CODE_CANNOT_BIND).
 */
wait_handle tcp_listener_open(const struct address *address, bool ipv6_only, struct address *bound,
                              struct error *error);
void tcp_listener_close(wait_handle listener);

/*
 * From now on the system holds about so many bytes for each connection that it accepts and that
 * takes nothing of what is sent; else some megabytes. It is a wish: where it is refused nothing
 * changes.
 */
void tcp_listener_limit_sending(wait_handle listener, size_t bytes);

/*
 * The same for a socket that listens already, which others have, too: a copy of the handle. It is
 * made non-blocking for all of them. Returns as above (EXIT_CODE_CANNOT_BIND: it is none of TCP).
 */
wait_handle tcp_listener_adopt(wait_handle other, struct address *bound, struct error *error);

#endif
