/* What an answer by HTTP means for the block that was sent. Pure functions; any thread. */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_ANSWER_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/contract/delivery.h"

struct http_fate {
    enum delivery_fate fate;
    enum delivery_reason reason; /* of DELIVERY_REFUSED */
};

/*
 * `status` is that of the answer; 0: there was none. `sent`: some of the body had left by then,
 * without an answer the far end may have it.
 */
struct http_fate http_fate_of(long status, bool sent);

/* The Content-Type of a body in that format. */
const char *http_content_type(const char *format);

#endif
