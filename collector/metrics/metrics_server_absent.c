/* collector/metrics/metrics_server.h in a program without libmicrohttpd. */
#include "collector/metrics/metrics_server.h"

const char *metrics_server_library(void)
{
    return NULL;
}

bool metrics_server_can_serve(struct error *error)
{
    error_set(error, EXIT_CODE_CONFIG, "--metrics: this program was built without libmicrohttpd");
    return false;
}

size_t metrics_server_memory(const struct config *config)
{
    (void)config;
    return 0;
}

int metrics_server_create(struct metrics_server **out, const struct metrics_server_options *options,
                          struct error *error)
{
    (void)out;
    (void)options;
    metrics_server_can_serve(error);
    return -1;
}

void metrics_server_destroy(struct metrics_server *server)
{
    (void)server;
}

void metrics_server_set_config(struct metrics_server *server, const struct config *config)
{
    (void)server;
    (void)config;
}

size_t metrics_server_watch(struct metrics_server *server,
                            struct control_watch watched[METRICS_WATCHED], int64_t now_ns,
                            int64_t *due_ns)
{
    (void)server;
    (void)watched;
    (void)now_ns;
    *due_ns = INT64_MAX;
    return 0;
}

void metrics_server_serve(struct metrics_server *server, int64_t now_ns)
{
    (void)server;
    (void)now_ns;
}
