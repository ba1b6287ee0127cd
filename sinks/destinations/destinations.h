/*
 * The built-in destinations, in the order of the list that users see. To add a destination, write a
 * file that implements collector/contract/destination.h, and add a row here and a line to
 * CMakeLists.txt.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_DESTINATIONS_H
#define SLUICE_SINKS_DESTINATIONS_DESTINATIONS_H

#include "collector/contract/destination.h"

/* ROW(NAME) is destination_NAME, defined in destination_NAME.c (https: in destination_http.c). */
#define BUILTIN_DESTINATIONS(ROW)                                                                  \
    ROW(stdout)                                                                                    \
    ROW(file)                                                                                      \
    ROW(command)                                                                                   \
    ROW(udp)                                                                                       \
    ROW(http)                                                                                      \
    ROW(https)                                                                                     \
    ROW(kafka)                                                                                     \
    ROW(nats)

/*
 * Members of destinations that need a library. They are the same in a program that was built
 * without the library: it reads the URLs and keys of such sinks before it refuses them. CMake
 * generates those destinations from destinations_absent.c.in.
 */
#define DESTINATION_HTTP(name)                                                                     \
    .scheme = name, .place = "//HOST:PORT/PATH", .place_is = PLACE_OWN_TEXT,                       \
    .keys = DESTINATION_KEYS_DELIVERY | DESTINATION_KEYS_HTTP, .takes = TAKES_BLOCKS,              \
    .sends_requests = true
#define DESTINATION_http  DESTINATION_HTTP("http")
#define DESTINATION_https DESTINATION_HTTP("https"), .encrypts = true
#define DESTINATION_kafka                                                                          \
    .scheme = "kafka", .place = "//BROKER[,BROKER]/TOPIC", .place_is = PLACE_OWN_TEXT,             \
    .keys = DESTINATION_KEYS_DELIVERY | DESTINATION_KEYS_KAFKA, .takes = TAKES_BLOCKS
#define DESTINATION_nats                                                                           \
    .scheme = "nats", .place = "//HOST:PORT[,HOST:PORT]/SUBJECT", .place_is = PLACE_OWN_TEXT,      \
    .keys = DESTINATION_KEYS_DELIVERY | DESTINATION_KEYS_NATS, .takes = TAKES_BLOCKS

#define DECLARE_DESTINATION(name) extern const struct destination_ops destination_##name;
BUILTIN_DESTINATIONS(DECLARE_DESTINATION)
#undef DECLARE_DESTINATION

#endif
