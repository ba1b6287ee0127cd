/*
 * The time of a pcapng packet: a count of units, whose length and origin are options of its
 * interface (draft-ietf-opsawg-pcapng, section 4.2, if_tsresol and if_tsoffset).
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_PCAPNG_TIME_H
#define SLUICE_COLLECTOR_CAPTURE_PCAPNG_TIME_H

#include <stdint.h>

/* if_tsresol of an interface without that option: microseconds. */
#define PCAPNG_TIME_DEFAULT_RESOLUTION 6

/*
 * Converts `units` of if_tsresol `resolution`, with if_tsoffset `offset` in seconds, to nanoseconds
 * since 1970. Rounds down to a nanosecond; limits the result to int64_t.
 */
int64_t pcapng_time_ns(uint64_t units, uint8_t resolution, int64_t offset);

#endif
