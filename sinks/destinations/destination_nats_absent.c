/* nats: in a program without nats.c. */
#include "sinks/destinations/destinations.h"

const struct destination_ops destination_nats = {
    .scheme = "nats",
    .place = "//HOST:PORT[,HOST:PORT]/SUBJECT",
    .place_is = PLACE_OWN_TEXT,
    .library = destination_no_library,
    .keys = DESTINATION_KEYS_DELIVERY | DESTINATION_KEYS_NATS,
    .takes = TAKES_BLOCKS,
    .absent = "nats.c",
};
