/* What a record left in the output, as small as it can be kept for many records. */
#ifndef SLUICE_COLLECTOR_OUTPUT_ENCODED_COUNTS_H
#define SLUICE_COLLECTOR_OUTPUT_ENCODED_COUNTS_H

#include <stdint.h>

#include "collector/contract/encoder.h"

/* Of one record, whose lines are bytes in a block: far fewer than 32 bits count. */
struct encoded_counts {
    uint32_t lines, samples, json_fallbacks;
};

static inline struct encoded_counts encoded_counts_of(const struct encoded *one)
{
    return (struct encoded_counts){
        .lines = (uint32_t)one->lines,
        .samples = (uint32_t)one->samples,
        .json_fallbacks = (uint32_t)one->json_fallbacks,
    };
}

static inline void encoded_counts_add(struct encoded *sum, const struct encoded_counts *one)
{
    sum->lines += one->lines;
    sum->samples += one->samples;
    sum->json_fallbacks += one->json_fallbacks;
}

#endif
