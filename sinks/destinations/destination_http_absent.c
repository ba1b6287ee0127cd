/* http: and https: in a program without libcurl. */
#include "sinks/destinations/destinations.h"

static int refuse(const struct destination_options *options, struct error *error)
{
    error_set(error, EXIT_CODE_CONFIG, "%s: this program was built without libcurl", options->name);
    return -1;
}

static int create(const struct destination_options *options, struct destination **out,
                  struct error *error)
{
    (void)out;
    return refuse(options, error);
}

static const char *library(void)
{
    return NULL;
}

const struct destination_ops destination_http = {
    .scheme = "http",
    .place = "//HOST:PORT/PATH",
    .needs_path = true,
    .is_delivery = true,
    .is_http = true,
    .library = library,
    .check = refuse,
    .create = create,
};

const struct destination_ops destination_https = {
    .scheme = "https",
    .place = "//HOST:PORT/PATH",
    .needs_path = true,
    .is_delivery = true,
    .is_http = true,
    .check = refuse,
    .create = create,
};
