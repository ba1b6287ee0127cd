/*
 * Spreads datagrams over the sockets that share a port, by a kernel program: classic BPF for a
 * group of SO_REUSEPORT (socket(7), SO_ATTACH_REUSEPORT_CBPF). No privilege is required.
 *
 * The program is attached to the first socket of a group before that socket is bound. The group
 * keeps it as long as it has sockets. A socket with a program cannot join an existing group. If the
 * program chooses a socket that does not exist (not yet, or no longer), the kernel chooses by the
 * datagram's addresses, as without a program. Main thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_DATAGRAM_SPREAD_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_DATAGRAM_SPREAD_H

#include "collector/base/error.h"

/*
 * Attaches the program to a socket that has SO_REUSEPORT and is not yet bound, for a group of
 * `sockets`. Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_BIND).
 */
int datagram_spread_attach(int fd, unsigned sockets, struct error *error);

#endif
