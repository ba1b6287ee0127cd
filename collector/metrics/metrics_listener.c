#include "collector/metrics/metrics_listener.h"

#include <stddef.h>

#include "collector/log/log.h"
#include "collector/platform/tcp.h"

static bool is_local(const struct config *config)
{
    return config->access.metrics.address.family == ADDRESS_LOCAL;
}

static bool is_loopback(const struct address *address)
{
    static const struct address v6 = {.family = ADDRESS_IPV6, .bytes = {[15] = 1}};
    return address->family == ADDRESS_IPV4 ? address->bytes[0] == 127
                                           : address_same_host(address, &v6);
}

static struct local_access access_of(const struct config *config)
{
    return (struct local_access){.mode = METRICS_SOCKET_MODE, .owner = config->user};
}

int metrics_listener_check(const struct config *config, struct error *error)
{
    if (!is_local(config))
        return 0;
    if (!local_listeners_exist) {
        error_set(error, EXIT_CODE_CONFIG,
                  "--metrics unix:%s: there are no such sockets on this system; use --metrics "
                  "127.0.0.1:9126",
                  config->access.metrics.path);
        return -1;
    }
    const struct local_access access = access_of(config);
    if (local_listener_check(config->access.metrics.path, &access, error) == 0)
        return 0;
    error_place(error, "--metrics");
    return -1;
}

/* The HTTP server gets a descriptor of its own, which it closes. */
static int open_local(struct metrics_listener *out, const struct config *config,
                      struct error *error)
{
    const char *path = config->access.metrics.path;
    const struct local_access access = access_of(config);
    struct address bound;
    if (local_listener_open(&out->local, path, &access, error) != 0)
        return -1;
    out->socket = tcp_listener_adopt(local_listener_handle(out->local), &bound, error);
    if (out->socket == NO_HANDLE) {
        metrics_listener_close(out);
        return -1;
    }
    log_line(LOG_INFO, "status page, metrics and health at unix:%s", path);
    return 0;
}

static int open_port(struct metrics_listener *out, const struct config *config, struct error *error)
{
    struct address bound;
    char text[ADDRESS_TEXT_SIZE];
    out->socket = tcp_listener_open(&config->access.metrics.address, false, &bound, error);
    if (out->socket == NO_HANDLE)
        return -1;
    address_format(&bound, text);
    log_line(LOG_INFO, "status page at http://%s/, metrics at http://%s/metrics", text, text);
    if (config->access.metrics_token_file != NULL && !is_loopback(&bound))
        log_line(LOG_WARNING, "metrics: the token of --metrics-token-file passes the network "
                              "unencrypted; use a proxy with TLS in front of --metrics unix:PATH");
    return 0;
}

int metrics_listener_open(struct metrics_listener *out, const struct config *config,
                          struct error *error)
{
    *out = (struct metrics_listener){.socket = NO_HANDLE};
    int result = is_local(config) ? open_local(out, config, error) : open_port(out, config, error);
    if (result != 0)
        error_place(error, "--metrics");
    return result;
}

void metrics_listener_close(struct metrics_listener *listener)
{
    struct error error;
    if (listener->local != NULL && local_listener_close(listener->local, &error) != 0)
        log_line(LOG_WARNING, "metrics: %s", error.text);
    listener->local = NULL;
}
