/*
 * Checks whether an http: sink could deliver records. The request is like those of the sink but has
 * no records: its body is empty, or is the format's output for no records, which is valid for
 * remote write and OTLP. The answer shows whether the path exists, and whether the server accepts
 * the credentials, if it checks these before the body.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_PROBE_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_PROBE_H

#include "collector/base/error.h"
#include "collector/contract/destination_options.h"
#include "sinks/destinations/curl_library.h"
#include "sinks/destinations/http_headers.h"

/*
 * Implements destination_ops.probe: sends the request to the URL and waits for the answer. Any
 * thread, but no other thread may use the headers during the call.
 */
void http_probe_run(const struct curl_library *library, const struct destination_options *options,
                    const char *url, const struct http_headers *headers, int64_t timeout_ns,
                    struct error *said);

/* Fills *said for an answer with the status; `answer` is a text about the answer. Pure. */
void http_probe_classify(long status, const char *answer, struct error *said);

#endif
