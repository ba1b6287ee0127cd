/*
 * Converts a time to text. The text is kept, because the next time is usually in the same second:
 * then only the fraction is written. For one thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_TIME_TEXT_H
#define SLUICE_SINKS_ENCODERS_TIME_TEXT_H

#include <stdint.h>

#define TIME_TEXT_SIZE 32 /* json_time's "YYYY-MM-DDThh:mm:ss.nnnnnnnnnZ" with quotes */

struct time_text {
    int64_t nanoseconds; /* since 1970 UTC */
    int64_t second;
    char text[TIME_TEXT_SIZE];
};

/* Initialises *time to the beginning of 1970. */
void time_text_init(struct time_text *time);

void time_text_update(struct time_text *time, int64_t nanoseconds);

#endif
