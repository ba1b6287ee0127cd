#include "collector/receive/bound_sockets.h"

#include "collector/log/log.h"
#include "collector/receive/bound_source.h"
#include "collector/receive/socket_source.h"

size_t bound_sockets_count(const struct listener_config *listener)
{
    return udp_socket_can_share_port ? listener->receivers : 1;
}

/*
 * Checks with an exclusive socket that the port is free. Otherwise the port could be shared with
 * another process of the same user, and each process would get a part of the datagrams.
 */
static int probe_port(const struct udp_socket_options *shared, struct error *error)
{
    struct udp_socket_options options = *shared;
    struct udp_socket *probe;
    options.share_port = false;
    if (udp_socket_open(&probe, &options, error) != 0)
        return -1;
    int result = udp_socket_bind(probe, error);
    udp_socket_close(probe);
    return result;
}

/*
 * All sockets share one port. If the system chooses the port, it chooses it for the first
 * socket.
 */
int bound_sockets_open(struct source *source, const struct source_host *host, struct error *error)
{
    const struct listener_config *config = source->config;
    struct receiver_socket socket = socket_source_describe(source);
    if (socket.options.share_port && config->address.port != 0 &&
        probe_port(&socket.options, error) != 0)
        return -1;
    for (size_t i = 0; i < bound_sockets_count(config); i++) {
        if (socket_source_add(source, host, i, &socket, error) != 0)
            return -1;
        socket.options.address.port = source->address.port;
        socket.options.spread_over = 0; /* the first socket's setting applies to all sockets */
    }
    if (config->address.port != 0 || bound_source_name_by_port(source, host->ledger) == 0)
        return 0;
    return error_no_memory(error);
}

void bound_sockets_announce(const struct source *source, const struct source_host *host)
{
    const struct listener_config *config = source->config;
    socket_source_announce(source, host);
    if (config->receivers > bound_sockets_count(config))
        log_about(LOG_INFO, LOG_OF_LISTENER, source->listener.name,
                  "receivers=%llu: on this system a port has one socket, which one thread serves "
                  "at a time; more threads help only with several listeners",
                  (unsigned long long)config->receivers);
}
