/*
 * Each datagram to any of the sockets that share a port, as a program of the kernel's: classic BPF
 * for a group of SO_REUSEPORT (socket(7), SO_ATTACH_REUSEPORT_CBPF). It takes no privilege.
 *
 * The first socket of a group brings the program along when it is bound, and the group has it as
 * long as it has sockets. A socket that brings one along cannot join a group. Where the program
 * chooses a socket that is not there yet, or no more, the kernel chooses by the datagram's
 * addresses, as it does without a program. Main thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_DATAGRAM_SPREAD_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_DATAGRAM_SPREAD_H

#include "collector/base/error.h"

/*
 * Gives it to a socket that has SO_REUSEPORT and is not yet bound, for a group of `sockets`.
 * Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_BIND).
 */
int datagram_spread_attach(int fd, unsigned sockets, struct error *error);

#endif
