/*
 * The built-in encoders, in the order of the list that users see. To add an encoder, write a file
 * that implements collector/contract/encoder.h, and add a row here and a line to CMakeLists.txt.
 */
#ifndef SLUICE_SINKS_ENCODERS_ENCODERS_H
#define SLUICE_SINKS_ENCODERS_ENCODERS_H

#include "collector/contract/encoder.h"

/* ROW(NAME) is encoder_NAME, defined in encoder_NAME.c. */
#define BUILTIN_ENCODERS(ROW)                                                                      \
    ROW(json)                                                                                      \
    ROW(text)                                                                                      \
    ROW(influx)                                                                                    \
    ROW(prometheus)                                                                                \
    ROW(openmetrics)                                                                               \
    ROW(csv)                                                                                       \
    ROW(otlp)                                                                                      \
    ROW(remote_write)                                                                              \
    ROW(protobuf)                                                                                  \
    ROW(pcap)                                                                                      \
    ROW(datagram)

#define DECLARE_ENCODER(name) extern const struct encoder_ops encoder_##name;
BUILTIN_ENCODERS(DECLARE_ENCODER)
#undef DECLARE_ENCODER

#endif
