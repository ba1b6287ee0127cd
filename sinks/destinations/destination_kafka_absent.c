/* kafka: in a program without librdkafka. */
#include "sinks/destinations/destinations.h"

const struct destination_ops destination_kafka = {
    .scheme = "kafka",
    .place = "//BROKER[,BROKER]/TOPIC",
    .place_is = PLACE_OWN_TEXT,
    .library = destination_no_library,
    .keys = DESTINATION_KEYS_DELIVERY | DESTINATION_KEYS_KAFKA,
    .takes = TAKES_BLOCKS,
    .absent = "librdkafka",
};
