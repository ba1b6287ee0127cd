#include "collector/platform/linux/datagram_spread.h"

#include <errno.h>
#include <linux/filter.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/platform/udp.h"

#ifndef SO_ATTACH_REUSEPORT_CBPF
#define SO_ATTACH_REUSEPORT_CBPF 51 /* Linux 4.5; older headers lack it */
#endif

static int spread_fail(struct error *error, int code)
{
    error_set(error, code,
              "spread=datagram: this kernel does not choose a socket for each datagram (Linux 4.5 "
              "does): %s",
              strerror(errno));
    return -1;
}

/* Attaches a program that returns a random number modulo the number of sockets. */
static int attach(int fd, unsigned sockets)
{
    struct sock_filter choose[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)(SKF_AD_OFF + SKF_AD_RANDOM)),
        BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, sockets),
        BPF_STMT(BPF_RET | BPF_A, 0),
    };
    const struct sock_fprog program = {.len = sizeof choose / sizeof *choose, .filter = choose};
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof program);
}

int datagram_spread_attach(int fd, unsigned sockets, struct error *error)
{
    return attach(fd, sockets) == 0 ? 0 : spread_fail(error, EXIT_CODE_CANNOT_BIND);
}

int udp_socket_check_spread(struct error *error)
{
    const int on = 1;
    int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (probe < 0)
        return spread_fail(error, EXIT_CODE_CONFIG);
    int result =
        setsockopt(probe, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0 && attach(probe, 2) == 0
            ? 0
            : spread_fail(error, EXIT_CODE_CONFIG);
    close(probe);
    return result;
}
