/* All built-in destinations and encoders. */
#ifndef SLUICE_SINKS_SINKS_H
#define SLUICE_SINKS_SINKS_H

#include "sinks/destinations/destinations.h"
#include "sinks/encoders/encoders.h"

/* The arrays end with NULL. */
extern const struct destination_ops *const builtin_destinations[];
extern const struct encoder_ops *const builtin_encoders[];

#endif
