/*
 * The answer of an OTLP receiver to a request that it accepted: ExportMetricsServiceResponse, with
 * the number of data points that it refused. These are not sent again (OTLP 1, "Partial Success").
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
    uint64_t rejected;   /* data points that were rejected; 0: all were accepted, perhaps with a
                            warning */
    struct text message; /* the reason or a warning: any bytes, a part of the body; empty: none */
};

/*
 * Reads the body of an answer in protobuf's wire format. Unknown fields are skipped. If a field is
 * repeated, its last value counts, as in protobuf. Returns false if the body is not such a message;
 * then *answer says that all data points were accepted, because the status of the answer was a
 * success.
 */
bool otlp_answer_read(const uint8_t *body, size_t size, struct otlp_answer *answer);

#endif
