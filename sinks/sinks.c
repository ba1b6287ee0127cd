#include "sinks/sinks.h"

#define DESTINATION_ROW(name) &destination_##name,
#define ENCODER_ROW(name)     &encoder_##name,

const struct destination_ops *const builtin_destinations[] = {
    BUILTIN_DESTINATIONS(DESTINATION_ROW) NULL,
};

const struct encoder_ops *const builtin_encoders[] = {
    BUILTIN_ENCODERS(ENCODER_ROW) NULL,
};
