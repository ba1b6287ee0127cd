#include "collector/platform/posix/bind_failure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * The first port for which no special right is needed by default
 * (net.ipv4.ip_unprivileged_port_start).
 */
#define PORT_FREE 1024

#define ADVICE_SIZE 256

static void advise_taken(char *advice, bool is_stream, unsigned port)
{
    snprintf(advice, ADVICE_SIZE, "; as root, ss -l%cnp 'sport = :%u' shows by which program",
             is_stream ? 't' : 'u', port);
}

static void advise_low_port(char *advice)
{
    char program[ADVICE_SIZE / 4];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    if (length < 0 || (size_t)length == sizeof program)
        length = snprintf(program, sizeof program, "/usr/bin/sluice");
    snprintf(advice, ADVICE_SIZE,
             "; use a port above 1023, or start as root with --user NAME, or let systemd bind it "
             "(sluice.socket), or allow it: setcap cap_net_bind_service+ep %.*s",
             (int)length, program);
}

void bind_failure(struct error *error, bool is_stream, const struct address *address, int number)
{
    char text[ADDRESS_TEXT_SIZE];
    char advice[ADVICE_SIZE] = "";
    address_format(address, text);
    if (number == EADDRINUSE)
        advise_taken(advice, is_stream, address->port);
    else if (number == EADDRNOTAVAIL)
        snprintf(advice, sizeof advice,
                 "; this machine does not have that address (ip address lists those it has)");
    else if (number == EINVAL && address_needs_zone(address))
        snprintf(advice, sizeof advice, "; %s", ADDRESS_ZONE_MISSING);
    else if (number == EACCES && address->port != 0 && address->port < PORT_FREE)
        advise_low_port(advice);
    error_set(error, EXIT_CODE_CANNOT_BIND, "%s://%s: %s%s",
              is_stream ? "cannot listen on tcp" : "cannot bind udp", text, strerror(number),
              advice);
}
