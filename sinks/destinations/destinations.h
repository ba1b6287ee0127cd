/*
 * The destinations that are built in, in the order in which they are listed to users. To add one: a
 * file that implements collector/contract/destination.h, a row here, and a line in CMakeLists.txt.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_DESTINATIONS_H
#define SLUICE_SINKS_DESTINATIONS_DESTINATIONS_H

#include "collector/contract/destination.h"

/*
 * ROW(NAME) stands for destination_NAME, which the file destination_NAME.c defines; that of http
 * defines https as well.
 */
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
 * What is known of destinations that need a library, also to a program that was built without it:
 * it reads their URLs and keys, and then refuses them. CMake writes those rows
 * (destinations_absent.c.in).
 */
#define DESTINATION_HTTP(name)                                                                     \
    .scheme = name, .place = "//HOST:PORT/PATH", .place_is = PLACE_OWN_TEXT,                       \
    .keys = DESTINATION_KEYS_DELIVERY | DESTINATION_KEYS_HTTP, .takes = TAKES_BLOCKS,              \
    .sends_requests = true
#define DESTINATION_http  DESTINATION_HTTP("http")
#define DESTINATION_https DESTINATION_HTTP("https")
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
