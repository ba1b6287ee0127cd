/*
 * The built-in sources, in the order in which they are listed to users. To add one, write a file
 * that implements contract/source.h, and add a row here and a line in CMakeLists.txt.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_SOURCES_H
#define SLUICE_COLLECTOR_RECEIVE_SOURCES_H

#include "collector/contract/source.h"

/* ROW(NAME) for each source_NAME, which the file source_NAME.c defines. */
#define BUILTIN_SOURCES(ROW)                                                                       \
    ROW(udp)                                                                                       \
    ROW(dtls)                                                                                      \
    ROW(tcp)                                                                                       \
    ROW(unix)                                                                                      \
    ROW(inherited)                                                                                 \
    ROW(capture)

#define DECLARE_SOURCE(name) extern const struct source_ops source_##name;
BUILTIN_SOURCES(DECLARE_SOURCE)
#undef DECLARE_SOURCE

/*
 * The variants of fd:NAME for sockets that take connections, and for sockets that take datagrams.
 */
extern const struct source_ops source_inherited_streams, source_inherited_datagrams;

/* All built-in sources; ends with NULL. */
extern const struct source_ops *const builtin_sources[];

#endif
