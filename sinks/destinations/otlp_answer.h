/*
 * Reads the answer of an OTLP receiver that accepted a request: ExportMetricsServiceResponse, with
 * the number of data points that the receiver rejected. Rejected points are not sent again (OTLP 1,
 * "Partial Success"). A pure function; any thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_OTLP_ANSWER_H
#define SLUICE_SINKS_DESTINATIONS_OTLP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/text/text.h"

struct otlp_answer {
    uint64_t rejected; /* number of rejected data points; 0: all accepted, perhaps with a warning */
    struct text message; /* the reason or warning, any bytes, in the body; may be empty */
};

/*
 * Reads the body of an answer in protobuf's wire format. Unknown fields are skipped. If a field is
 * repeated, the last one counts. Returns false if the body is not such a message; *answer then has
 * no rejected data points.
 */
bool otlp_answer_read(const uint8_t *body, size_t size, struct otlp_answer *answer);

#endif
