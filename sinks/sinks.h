/*
 * The destinations and encoders that are built in. To add one: a file that implements its interface
 * in collector/contract/, a row in sinks.c, and a line in CMakeLists.txt.
 */
#ifndef SLUICE_SINKS_SINKS_H
#define SLUICE_SINKS_SINKS_H

#include "collector/contract/destination.h"
#include "collector/contract/encoder.h"

/* All of them, NULL at the end. */
extern const struct destination_ops *const builtin_destinations[];
extern const struct encoder_ops *const builtin_encoders[];

/* One file each. */
extern const struct destination_ops destination_stdout;
extern const struct destination_ops destination_file;
extern const struct destination_ops destination_command;
extern const struct encoder_ops encoder_json;
extern const struct encoder_ops encoder_influx;
extern const struct encoder_ops encoder_prometheus;
extern const struct encoder_ops encoder_openmetrics;
extern const struct encoder_ops encoder_csv;
extern const struct encoder_ops encoder_protobuf;
extern const struct encoder_ops encoder_pcap;

#endif
