/*
 * What a receiver of OTLP answers to a request that it took: ExportMetricsServiceResponse, which
 * says how many data points it refused. OTLP 1, "Partial Success": these are not sent again.
 *
 * A pure function; any thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_OTLP_ANSWER_H
#define SLUICE_SINKS_DESTINATIONS_OTLP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/text/text.h"

struct otlp_answer {
    uint64_t rejected;   /* data points; 0: all were taken, perhaps with a warning */
    struct text message; /* why, or a warning: any bytes, part of what was read; empty: none */
};

/*
 * Reads the body of an answer in protobuf's wire format. Fields that are not known are passed over;
 * of one that is there more than once the last counts, as protobuf merges them. Returns false where
 * it is no such message: *answer then says that all was taken, as the status did.
 */
bool otlp_answer_read(const uint8_t *body, size_t size, struct otlp_answer *answer);

#endif
