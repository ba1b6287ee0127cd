/*
 * Converts the time of a pcapng packet: a count of units. Options of the packet's interface specify
 * the unit and the origin (draft-ietf-opsawg-pcapng, section 4.2, if_tsresol and if_tsoffset).
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_PCAPNG_TIME_H
#define SLUICE_COLLECTOR_CAPTURE_PCAPNG_TIME_H

#include <stdint.h>

/* The resolution of an interface without the option if_tsresol: microseconds. */
#define PCAPNG_TIME_DEFAULT_RESOLUTION 6

/*
 * Converts a time to nanoseconds since 1970. `units` counts the unit that `resolution` (if_tsresol)
 * specifies; `offset` (if_tsoffset) is in seconds. Rounds down to a nanosecond; if the unit is a
 * power of two below 2^-34 s, the result may be one nanosecond less. Limits the result to the range
 * of int64_t.
 */
int64_t pcapng_time_ns(uint64_t units, uint8_t resolution, int64_t offset);

#endif
