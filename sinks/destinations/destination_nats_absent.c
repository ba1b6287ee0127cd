/* nats: in a program without nats.c: refused by name. */
#include "sinks/destinations/destinations.h"

static int refuse(struct error *error)
{
    error_set(error, EXIT_CODE_CONFIG, "nats: this program was built without it (nats.c)");
    return -1;
}

static int check(const struct destination_options *options, struct error *error)
{
    (void)options;
    return refuse(error);
}

static int create(const struct destination_options *options, struct destination **out,
                  struct error *error)
{
    (void)options;
    (void)out;
    return refuse(error);
}

static const char *no_library(void)
{
    return NULL;
}

const struct destination_ops destination_nats = {
    .scheme = "nats",
    .place = "//HOST:PORT[,HOST:PORT]/SUBJECT",
    .needs_path = true,
    .library = no_library,
    .is_delivery = true,
    .is_nats = true,
    .check = check,
    .create = create,
};
