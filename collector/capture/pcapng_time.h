/*
 * The time of a pcapng packet: a count of units, whose length and origin its interface names
 * (draft-ietf-opsawg-pcapng, section 4.2, if_tsresol and if_tsoffset).
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_PCAPNG_TIME_H
#define SLUICE_COLLECTOR_CAPTURE_PCAPNG_TIME_H

#include <stdint.h>

/* if_tsresol where an interface names none: microseconds. */
#define PCAPNG_TIME_DEFAULT_RESOLUTION 6

/*
 * Nanoseconds since 1970 of `units` of if_tsresol `resolution` after if_tsoffset `offset` seconds;
 * what is finer is dropped, what is out of range becomes the nearest that is not.
 */
int64_t pcapng_time_ns(uint64_t units, uint8_t resolution, int64_t offset);

#endif
