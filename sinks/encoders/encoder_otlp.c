/*
 * The encoder `otlp` writes each record as an ExportMetricsServiceRequest of OpenTelemetry's
 * protocol, after the request's length as a varint (delimited.h). A request counts as a line.
 *
 * A message of OTLP's own schemas is an export request already, of metrics, logs or traces. It is
 * written unchanged, unless the sink has sample rules or limits. For other schemas, the samples of
 * a record become one ResourceMetrics without a resource. Each sample becomes a metric with one
 * data point, whose attributes are the sample's labels. More in sinks/README.md.
 *
 * A request is a list of ResourceMetrics, so the concatenation of several requests without their
 * lengths is one request.
 */
#include <string.h>

#include "sinks/encoders/delimited.h"
#include "sinks/encoders/encoders.h"
#include "sinks/encoders/otlp_point.h"
#include "sinks/encoders/sample_encoder.h"
#include "sinks/encoders/wire_output.h"

#define LONGEST_MESSAGE ((size_t)2 * 1024 * 1024)

enum {
    REQUEST_RESOURCES = WIRE_TAG(1, WIRE_LENGTH),
    RESOURCE_SCOPES = WIRE_TAG(2, WIRE_LENGTH),
    SCOPE_METRICS = WIRE_TAG(2, WIRE_LENGTH),
};

struct otlp_encoder {
    struct sample_encoder base;
    bool ruled; /* samples are selected, renamed or limited, so no message is written unchanged */
    bool begun; /* the current record has a sample, so the request's head is written */
};

/*
 * The lengths of the request, its ResourceMetrics and its ScopeMetrics, which are nested. Each has
 * room for one byte; if the lengths need more, the content is moved once.
 */
#define HEAD_SIZE ((size_t)5) /* three lengths of one byte, and two tags */

static size_t write_sample(struct sample_encoder *encoder, const struct record *record,
                           const struct sample *sample, struct output *out)
{
    struct otlp_encoder *otlp = (struct otlp_encoder *)encoder;
    if (!otlp->begun)
        output_reserve(out, HEAD_SIZE);
    otlp->begun = true;
    size_t metric = wire_begin_message(out, SCOPE_METRICS);
    otlp_metric_put(&encoder->labels, record, sample, out);
    wire_end_message(out, metric);
    return 1;
}

static void end_request(struct output *out, size_t start)
{
    if (out->overflow)
        return;
    size_t size = out->used - start - HEAD_SIZE;
    size_t scope = 1 + wire_varint_size(size) + size;
    size_t resource = 1 + wire_varint_size(scope) + scope;
    size_t head = wire_varint_size(resource) + resource - size;
    if (resource > LONGEST_MESSAGE)
        out->overflow = true;
    if (output_reserve(out, head - HEAD_SIZE) == NULL)
        return;
    char *at = out->data + start;
    memmove(at + head, at + HEAD_SIZE, size);
    at = wire_varint_to(at, resource);
    *at++ = REQUEST_RESOURCES;
    at = wire_varint_to(at, scope);
    *at++ = RESOURCE_SCOPES;
    wire_varint_to(at, size);
}

static struct encoded encode_samples(struct otlp_encoder *otlp, const struct record *record,
                                     struct output *out)
{
    size_t start = out->used;
    otlp->begun = false;
    sample_encoder_begin_record(&otlp->base);
    struct encoded encoded = sample_encoder_write(&otlp->base, record, write_sample, out);
    if (!otlp->begun)
        return encoded;
    end_request(out, start);
    encoded.lines = 1;
    return encoded;
}

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    (void)listener;
    struct otlp_encoder *otlp = (struct otlp_encoder *)encoder;
    if (record->schema->ops->is_otlp && (!otlp->ruled || !record->schema->has_samples)) {
        delimited_put(out, record->data, record->size);
        return (struct encoded){.lines = 1};
    }
    return encode_samples(otlp, record, out);
}

static size_t whole(const uint8_t *data, size_t size, bool at_start, bool *foreign)
{
    return delimited_whole(data, size, LONGEST_MESSAGE, at_start, foreign);
}

/*
 * Copies the requests without their lengths, because protobuf reads concatenated requests as one.
 */
static bool write_request(size_t shape, const char *bytes, size_t size, void *scratch,
                          struct output *out)
{
    (void)shape;
    (void)scratch;
    const uint8_t *at = (const uint8_t *)bytes;
    const uint8_t *end = at + size;
    size_t length;
    while (at != end) {
        at = wire_read_length(at, end, &length);
        if (at == NULL)
            return false;
        output_bytes(out, at, length);
        at += length;
    }
    return !out->overflow;
}

static size_t request_bound(size_t size)
{
    return size;
}

static const struct request_shape request_shape = {.content_type = "application/x-protobuf"};

static const struct encoder_request request = {
    .shapes = &request_shape,
    .shape_count = 1,
    .bound = request_bound,
    .write = write_request,
};

static struct encoder *create(const struct encoder_options *options)
{
    struct otlp_encoder *made = sample_encoder_create(&encoder_otlp, sizeof *made, options);
    if (made == NULL)
        return NULL;
    made->ruled = sample_rules_given(&options->rules) != NULL || options->series != NULL;
    return &made->base.encoder;
}

const struct encoder_ops encoder_otlp = {
    .name = "otlp",
    .needs_samples = true,
    .passes_otlp = true,
    .binary = true,
    .unmarked = true,
    .create = create,
    .destroy = sample_encoder_destroy,
    .encode = encode,
    .request = &request,
    .whole = whole,
};
