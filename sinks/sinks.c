#include "sinks/sinks.h"

const struct destination_ops *const builtin_destinations[] = {
    &destination_stdout,
    &destination_file,
    &destination_command,
    NULL,
};

const struct encoder_ops *const builtin_encoders[] = {
    &encoder_json, &encoder_influx,   &encoder_prometheus, &encoder_openmetrics,
    &encoder_csv,  &encoder_protobuf, &encoder_pcap,       NULL,
};
