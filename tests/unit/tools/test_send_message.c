/* Tests that the datagrams of sluice-send are read by the collector's own schemas. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "proto/generated/otlp_logs_service.pb-c.h"
#include "proto/generated/otlp_trace_service.pb-c.h"
#include "proto/schemas.h"
#include "tests/support/proto/schema_made.h"
#include "tests/support/test.h"
#include "tools/send/faults.h"
#include "tools/send/message.h"

typedef Opentelemetry__Proto__Collector__Logs__V1__ExportLogsServiceRequest Logs;
typedef Opentelemetry__Proto__Collector__Trace__V1__ExportTraceServiceRequest Traces;

#define TIME_NS UINT64_C(1795226767123456789)

struct decoding {
    struct schema *schema;
    struct arena arena;
};

static struct decoding decoding_begin(const struct schema_ops *ops)
{
    struct decoding decoding = {
        .schema = schema_made(ops),
        .arena = {.base = malloc(512 << 10), .capacity = 512 << 10},
    };
    assert_non_null(decoding.arena.base);
    return decoding;
}

static void decoding_end(struct decoding *decoding)
{
    decoding->schema->ops->destroy(decoding->schema);
    free(decoding->arena.base);
}

static enum decode_result decode(struct decoding *decoding, const uint8_t *data, size_t size,
                                 const void **message)
{
    decoding->arena.used = 0;
    struct decoded decoded;
    enum decode_result result =
        decoding->schema->ops->decode(decoding->schema, data, size, &decoding->arena, &decoded);
    *message = decoded.message;
    return result;
}

static size_t read_samples(struct decoding *decoding, const uint8_t *data, size_t size,
                           const void **message, struct sample *first)
{
    assert_int_equal(decode(decoding, data, size, message), DECODE_OK);
    struct schema_cursor cursor = {0};
    struct sample sample;
    size_t count = 0;
    while (decoding->schema->ops->next_sample(decoding->schema, *message, &cursor, &sample))
        if (count++ == 0)
            *first = sample;
    return count;
}

static struct message_plan plan_of(size_t samples, size_t size)
{
    return (struct message_plan){
        .sender = {"sender/1", 8}, .boot_id = 77, .samples = samples, .size = size};
}

static void assert_init(struct message_template *message, const struct message_shape *shape,
                        const struct message_plan *plan, uint64_t last_number)
{
    struct error error;
    if (message_template_init(message, shape, plan, last_number, &error) != 0)
        fail_msg("%s", error.text);
}

static const struct {
    const struct message_shape *shape;
    const struct schema_ops *ops;
} all[] = {
    {&message_telemetry, &schema_telemetry},
    {&message_riemann, &schema_riemann},
    {&message_otlp, &schema_otlp},
    {&message_otlp_logs, &schema_otlp_logs},
    {&message_otlp_traces, &schema_otlp_traces},
};
#define SHAPES (sizeof all / sizeof all[0])

static const uint64_t numbers[] = {1, 2, 127, 128, 129, 16383, 16384, 2097152, UINT32_MAX};
#define NUMBERS (sizeof numbers / sizeof numbers[0])

static uint8_t bytes[UDP_PAYLOAD_MAX];

TEST(telemetry_carries_sender_life_number_and_time)
{
    struct decoding decoding = decoding_begin(&schema_telemetry);
    struct message_plan plan = plan_of(3, 0);
    struct message_template message;
    assert_init(&message, &message_telemetry, &plan, UINT32_MAX);
    for (size_t i = 0; i < NUMBERS; i++) {
        const void *decoded = NULL;
        struct sample first = {0};
        struct datagram_sequence sequence;
        size_t size = message_template_stamp(&message, numbers[i], TIME_NS + i, bytes);
        assert_int_equal(read_samples(&decoding, bytes, size, &decoded, &first), 3);
        assert_true(schema_telemetry.sequence(decoding.schema, decoded, &sequence));
        assert_int_equal(sequence.sender.size, plan.sender.size);
        assert_memory_equal(sequence.sender.data, plan.sender.data, plan.sender.size);
        assert_int_equal(sequence.boot_id, 77);
        assert_int_equal(sequence.number, numbers[i]);
        assert_int_equal(first.time_ns, TIME_NS + i);
    }
    message_template_clear(&message);
    decoding_end(&decoding);
}

TEST(riemann_carries_number_and_time)
{
    struct decoding decoding = decoding_begin(&schema_riemann);
    struct message_plan plan = plan_of(50, 0);
    struct message_template message;
    assert_init(&message, &message_riemann, &plan, UINT32_MAX);
    for (size_t i = 0; i < NUMBERS; i++) {
        const void *decoded = NULL;
        struct sample first = {0};
        size_t size = message_template_stamp(&message, numbers[i], TIME_NS + 1000 * i, bytes);
        assert_int_equal(read_samples(&decoding, bytes, size, &decoded, &first), 50);
        assert_int_equal(first.type, SAMPLE_DOUBLE);
        assert_int_equal((uint64_t)first.value.number, numbers[i]);
        assert_int_equal(first.time_ns, TIME_NS / 1000 * 1000 + 1000 * i);
    }
    message_template_clear(&message);
    decoding_end(&decoding);
}

TEST(otlp_carries_number_and_time)
{
    struct decoding decoding = decoding_begin(&schema_otlp);
    struct message_plan plan = plan_of(50, 0);
    struct message_template message;
    assert_init(&message, &message_otlp, &plan, UINT32_MAX);
    for (size_t i = 0; i < NUMBERS; i++) {
        const void *decoded = NULL;
        struct sample first = {0};
        size_t size = message_template_stamp(&message, numbers[i], TIME_NS + i, bytes);
        assert_int_equal(read_samples(&decoding, bytes, size, &decoded, &first), 50);
        assert_int_equal(first.type, SAMPLE_DOUBLE);
        assert_int_equal((uint64_t)first.value.number, numbers[i]);
        assert_int_equal(first.time_ns, TIME_NS + i);
    }
    message_template_clear(&message);
    decoding_end(&decoding);
}

static uint64_t number_of(ProtobufCBinaryData id)
{
    uint64_t number = 0;
    assert_int_equal(id.len, 8);
    for (size_t i = 0; i < id.len; i++)
        number = number << 8 | id.data[i];
    return number;
}

TEST(otlp_logs_and_traces_carry_number_and_time)
{
    for (size_t s = 3; s < SHAPES; s++) {
        struct decoding decoding = decoding_begin(all[s].ops);
        struct message_plan plan = plan_of(3, 0);
        struct message_template message;
        assert_init(&message, all[s].shape, &plan, UINT32_MAX);
        for (size_t i = 0; i < NUMBERS; i++) {
            const void *decoded = NULL;
            size_t size = message_template_stamp(&message, numbers[i], TIME_NS + i, bytes);
            assert_int_equal(decode(&decoding, bytes, size, &decoded), DECODE_OK);
            if (all[s].ops == &schema_otlp_logs) {
                const Logs *logs = decoded;
                assert_int_equal(logs->resource_logs[0]->scope_logs[0]->n_log_records, 3);
                const Opentelemetry__Proto__Logs__V1__LogRecord *last =
                    logs->resource_logs[0]->scope_logs[0]->log_records[2];
                assert_int_equal(
                    number_of(logs->resource_logs[0]->scope_logs[0]->log_records[0]->span_id),
                    numbers[i]);
                assert_int_equal(last->time_unix_nano, TIME_NS + i);
                assert_int_equal(number_of(last->span_id), 2);
            } else {
                const Traces *traces = decoded;
                assert_int_equal(traces->resource_spans[0]->scope_spans[0]->n_spans, 3);
                const Opentelemetry__Proto__Trace__V1__Span *first =
                    traces->resource_spans[0]->scope_spans[0]->spans[0];
                assert_int_equal(number_of(first->span_id), numbers[i]);
                assert_int_equal(first->end_time_unix_nano, TIME_NS + i);
                assert_int_equal(first->start_time_unix_nano, TIME_NS + i - 1000000);
            }
        }
        message_template_clear(&message);
        decoding_end(&decoding);
    }
}

static size_t natural_size(const struct message_shape *shape, size_t samples, uint64_t number)
{
    struct message_plan plan = plan_of(samples, 0);
    struct message_template message;
    assert_init(&message, shape, &plan, number);
    size_t size = message_template_stamp(&message, number, TIME_NS, bytes);
    message_template_clear(&message);
    return size;
}

TEST(the_default_shapes_are_those_of_the_benchmarks)
{
    assert_in_range(natural_size(&message_telemetry, 1, 100000), 107, 120);
    assert_in_range(natural_size(&message_telemetry, 20, 100000), 1120, 1160);
}

/*
 * Returns true if no message with one field has this size. The field has a tag, a length and a
 * content. A content of 128 or 16,384 bytes needs one more byte for its length, so one size is left
 * out there.
 */
static bool is_no_size_of_one_field(size_t size)
{
    return size == 1 + 1 + 128 || size == 1 + 2 + 16384;
}

/* Tries all sizes near those at which a length needs one more byte, and some other sizes. */
TEST(a_wanted_size_is_met_exactly)
{
    for (size_t s = 0; s < SHAPES; s++) {
        struct decoding decoding = decoding_begin(all[s].ops);
        size_t least = natural_size(all[s].shape, 1, UINT32_MAX);
        for (size_t size = least; size <= UDP_PAYLOAD_MAX;
             size += size < 700 || (size > 16300 && size < 16600) ? 1 : 397) {
            struct message_plan plan = plan_of(1, size);
            struct message_template message;
            if (s != 0 && is_no_size_of_one_field(size)) {
                assert_int_equal(
                    message_template_init(&message, all[s].shape, &plan, UINT32_MAX, NULL), -1);
                message_template_clear(&message);
                continue;
            }
            assert_init(&message, all[s].shape, &plan, UINT32_MAX);
            for (size_t i = 0; i < NUMBERS; i++) {
                const void *decoded;
                size_t made = message_template_stamp(&message, numbers[i], TIME_NS, bytes);
                assert_int_equal(made, size);
                assert_int_equal(decode(&decoding, bytes, made, &decoded), DECODE_OK);
            }
            message_template_clear(&message);
        }
        decoding_end(&decoding);
    }
}

TEST(what_does_not_fit_is_refused)
{
    struct message_template message;
    struct error error;
    size_t least = natural_size(&message_telemetry, 1, UINT32_MAX);
    struct message_plan plan = plan_of(1, least - 1);
    assert_int_equal(message_template_init(&message, &message_telemetry, &plan, UINT32_MAX, &error),
                     -1);
    assert_int_equal(error.code, EXIT_CODE_USAGE);
    message_template_clear(&message);
    plan = plan_of(5000, 0);
    assert_int_equal(message_template_init(&message, &message_telemetry, &plan, 1, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_USAGE);
    message_template_clear(&message);
}

TEST(bad_datagrams_are_bad_for_their_own_reason)
{
    for (size_t s = 0; s < SHAPES; s++) {
        struct decoding decoding = decoding_begin(all[s].ops);
        struct message_plan plan = plan_of(1, 0);
        struct message_template message;
        struct faults faults;
        const void *decoded;
        assert_init(&message, all[s].shape, &plan, 1);
        assert_int_equal(faults_init(&faults, all[s].shape), 0);
        for (int i = 0; i < 2 * FAULTS_ALIVE; i++) {
            struct udp_payload bad = faults_malformed(&faults, &message);
            assert_int_equal(decode(&decoding, bad.data, bad.size, &decoded), DECODE_MALFORMED);
        }
        struct udp_payload big = faults_oversized(&faults);
        assert_int_equal(decode(&decoding, big.data, big.size, &decoded), DECODE_TOO_LARGE);
        faults_clear(&faults);
        message_template_clear(&message);
        decoding_end(&decoding);
    }
}
