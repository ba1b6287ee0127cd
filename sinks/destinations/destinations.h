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

#define DECLARE_DESTINATION(name) extern const struct destination_ops destination_##name;
BUILTIN_DESTINATIONS(DECLARE_DESTINATION)
#undef DECLARE_DESTINATION

#endif
