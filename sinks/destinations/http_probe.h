/*
 * Whether an http: sink would get anywhere: a request just like those of the sink, but without
 * records, which a store has nothing to store of.
 *
 * Its body is empty, or what the format makes of no records: of remote write and OTLP that is a
 * whole request with nothing in it. The answer shows whether there is such a path and whether the
 * server knows us, as far as it looks at that before it looks at the body.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_PROBE_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_PROBE_H

#include "collector/base/error.h"
#include "collector/contract/destination_options.h"
#include "sinks/destinations/curl_library.h"
#include "sinks/destinations/http_headers.h"

/*
 * Sends the request to that URL and waits for the answer, as destination_ops.probe says. In any
 * thread, which is the only one that uses the headers.
 */
void http_probe_run(const struct curl_library *library, const struct destination_options *options,
                    const char *url, const struct http_headers *headers, int64_t timeout_ns,
                    struct error *said);

/* What an answer with that status means, for people; `answer` is how the server puts it. Pure. */
void http_probe_judge(long status, const char *answer, struct error *said);

#endif
