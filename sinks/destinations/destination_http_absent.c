/* http: and https: in a program without libcurl. */
#include "sinks/destinations/destinations.h"

const struct destination_ops destination_http = {
    .scheme = "http",
    .place = "//HOST:PORT/PATH",
    .place_is = PLACE_OWN_TEXT,
    .library = destination_no_library,
    .keys = DESTINATION_KEYS_DELIVERY | DESTINATION_KEYS_HTTP,
    .takes = TAKES_BLOCKS,
    .sends_requests = true,
    .absent = "libcurl",
};

const struct destination_ops destination_https = {
    .scheme = "https",
    .place = "//HOST:PORT/PATH",
    .place_is = PLACE_OWN_TEXT,
    .keys = DESTINATION_KEYS_DELIVERY | DESTINATION_KEYS_HTTP,
    .takes = TAKES_BLOCKS,
    .sends_requests = true,
    .absent = "libcurl",
};
