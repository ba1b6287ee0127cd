/* The counts of one encoded record, in a struct of small integers for tables of many records. */
#ifndef SLUICE_COLLECTOR_OUTPUT_ENCODED_COUNTS_H
#define SLUICE_COLLECTOR_OUTPUT_ENCODED_COUNTS_H

#include <stdint.h>

#include "collector/contract/encoder.h"

/* 32 bits are enough, because all lines of a record are in one block. */
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
