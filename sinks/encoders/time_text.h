/*
 * A time as text, kept because the next one is mostly of the same second: then only its fraction is
 * written anew. Of one thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_TIME_TEXT_H
#define SLUICE_SINKS_ENCODERS_TIME_TEXT_H

#include <stdint.h>

#define TIME_TEXT_SIZE                                                                             \
    32 /* "YYYY-MM-DDThh:mm:ss.nnnnnnnnnZ" with its quotes, as json_time has it */

struct time_text {
    int64_t nanoseconds; /* since 1970 UTC */
    int64_t second;
    char text[TIME_TEXT_SIZE];
};

/* Before the first use: 1970 began. */
void time_text_init(struct time_text *time);

void time_text_update(struct time_text *time, int64_t nanoseconds);

#endif
