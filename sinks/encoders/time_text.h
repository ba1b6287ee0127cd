/*
 * A time as text, cached because the next time is usually in the same second: then only its
 * fraction is written. For one thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_TIME_TEXT_H
#define SLUICE_SINKS_ENCODERS_TIME_TEXT_H

#include <stdint.h>

#define TIME_TEXT_SIZE 32 /* "YYYY-MM-DDThh:mm:ss.nnnnnnnnnZ" with its quotes, by json_time */

struct time_text {
    int64_t nanoseconds; /* since 1970 UTC */
    int64_t second;
    char text[TIME_TEXT_SIZE];
};

/* Initialises *time before its first use, to the beginning of 1970. */
void time_text_init(struct time_text *time);

void time_text_update(struct time_text *time, int64_t nanoseconds);

#endif
