#include "sinks/encoders/native_histogram.h"

#include <math.h>

#include "sinks/encoders/classic_buckets.h"
#include "sinks/encoders/remote_write_number.h"
#include "sinks/encoders/wire_output.h"

/* The fields of the message Histogram. */
enum {
    HISTOGRAM_COUNT = WIRE_TAG(1, WIRE_VARINT),
    HISTOGRAM_SUM = WIRE_TAG(3, WIRE_FIXED64),
    HISTOGRAM_SCHEMA = WIRE_TAG(4, WIRE_VARINT),
    HISTOGRAM_ZERO_THRESHOLD = WIRE_TAG(5, WIRE_FIXED64),
    HISTOGRAM_ZERO_COUNT = WIRE_TAG(6, WIRE_VARINT),
    HISTOGRAM_NEGATIVE_SPANS = WIRE_TAG(8, WIRE_LENGTH),
    HISTOGRAM_NEGATIVE_DELTAS = WIRE_TAG(9, WIRE_LENGTH),
    HISTOGRAM_POSITIVE_SPANS = WIRE_TAG(11, WIRE_LENGTH),
    HISTOGRAM_POSITIVE_DELTAS = WIRE_TAG(12, WIRE_LENGTH),
    HISTOGRAM_RESET_HINT = WIRE_TAG(14, WIRE_VARINT),
    HISTOGRAM_CUSTOM_VALUES = WIRE_TAG(16, WIRE_LENGTH),
    SPAN_OFFSET = WIRE_TAG(1, WIRE_VARINT),
    SPAN_LENGTH = WIRE_TAG(2, WIRE_VARINT),
};

#define RESET_HINT_GAUGE 3

#define SCHEMA_LEAST  (-4)
#define SCHEMA_MOST   8
#define SCHEMA_CUSTOM (-53)

/* The zero threshold of a histogram whose sender gave none. */
#define DEFAULT_ZERO_THRESHOLD 1e-128

/* A span continues over a gap of at most this number of empty buckets. */
#define SMALL_GAP 2

/* --- buckets ---------------------------------------------------------------------------------- */

struct bucket {
    int64_t index;
    uint64_t count;
};

/* A walk over the non-empty buckets, in ascending order. */
struct native_walk {
    /*
     * For an exponential histogram: its positive or negative half, of which each 2^shift neighbours
     * are merged.
     */
    const struct sample_buckets *half;
    unsigned shift;
    size_t next;

    /* For an explicit histogram. */
    struct classic_buckets classic;
    uint64_t below, total;
    int64_t index;
    bool ended;
};

static uint64_t native_histogram_add(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/*
 * Returns Prometheus' index of the next bucket. OTLP numbers a bucket by its lower bound,
 * Prometheus by its upper bound.
 */
static int64_t index_of(const struct native_walk *walk)
{
    int64_t sent = (int64_t)walk->half->offset + (int64_t)walk->next;
    return (sent < 0 ? ~(~sent >> walk->shift) : sent >> walk->shift) + 1;
}

static bool next_of_half(struct native_walk *walk, struct bucket *bucket)
{
    bucket->count = 0;
    for (; walk->next < walk->half->count_count; walk->next++) {
        int64_t index = index_of(walk);
        if (bucket->count != 0 && index != bucket->index)
            return true;
        bucket->index = index;
        bucket->count = native_histogram_add(bucket->count, walk->half->counts[walk->next]);
    }
    return bucket->count != 0;
}

/*
 * Finds the next non-empty bucket. The last bucket has the rest of the total count. If the other
 * buckets have more than the total, the rest wraps around to more than 63 bits, and add_up refuses
 * it. Returns false at the end.
 */
static bool next_explicit(struct native_walk *walk, struct bucket *bucket)
{
    while (!walk->ended) {
        struct classic_bucket classic;
        walk->ended = !classic_buckets_next(&walk->classic, &classic);
        uint64_t up_to = walk->ended ? walk->total : classic.count;
        *bucket = (struct bucket){walk->index++, up_to - walk->below};
        walk->below = up_to;
        if (bucket->count != 0)
            return true;
    }
    return false;
}

static bool next_populated(struct native_walk *walk, struct bucket *bucket)
{
    return walk->half != NULL ? next_of_half(walk, bucket) : next_explicit(walk, bucket);
}

/* Returns false if a count or an index is too large. */
static bool add_up(struct native_walk walk, uint64_t *sum)
{
    struct bucket bucket;
    while (next_populated(&walk, &bucket)) {
        if (bucket.count > INT64_MAX || bucket.index > INT32_MAX || bucket.index < INT32_MIN)
            return false;
        *sum = native_histogram_add(*sum, bucket.count);
    }
    return true;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void put_span(uint32_t tag, int64_t offset, uint64_t length, struct output *out)
{
    size_t begun = wire_begin_message(out, tag);
    wire_add_varint_field(out, SPAN_OFFSET, wire_zigzag32((int32_t)offset));
    wire_add_varint_field(out, SPAN_LENGTH, length);
    wire_end_message(out, begun);
}

/*
 * The offset of the first span is its index. The offset of each other span is the gap after the
 * span before it.
 */
static void put_spans(struct native_walk walk, uint32_t tag, struct output *out)
{
    struct bucket bucket;
    int64_t offset = 0;
    int64_t end = 0;
    uint64_t length = 0;
    while (next_populated(&walk, &bucket)) {
        int64_t gap = bucket.index - end;
        if (length != 0 && gap > SMALL_GAP) {
            put_span(tag, offset, length, out);
            length = 0;
        }
        if (length == 0)
            offset = gap;
        else
            length += (uint64_t)gap;
        length++;
        end = bucket.index + 1;
    }
    if (length != 0)
        put_span(tag, offset, length, out);
}

static void put_delta(uint64_t count, uint64_t *before, struct output *out)
{
    wire_add_varint(out, wire_zigzag64((int64_t)count - (int64_t)*before));
    *before = count;
}

static void put_deltas(struct native_walk walk, uint32_t tag, struct output *out)
{
    struct bucket bucket;
    uint64_t before = 0;
    int64_t end = INT64_MIN;
    size_t begun = wire_begin_message(out, tag);
    while (next_populated(&walk, &bucket)) {
        if (end != INT64_MIN && bucket.index - end <= SMALL_GAP)
            for (; end < bucket.index; end++)
                put_delta(0, &before, out);
        put_delta(bucket.count, &before, out);
        end = bucket.index + 1;
    }
    wire_end_message(out, begun);
}

static void put_buckets(const struct native_walk *walk, uint32_t spans, uint32_t deltas,
                        struct output *out)
{
    struct native_walk first = *walk;
    struct bucket bucket;
    if (!next_populated(&first, &bucket))
        return;
    put_spans(*walk, spans, out);
    put_deltas(*walk, deltas, out);
}

static void put_head(const struct sample_totals *totals, int32_t schema, struct output *out)
{
    double sum = remote_write_number(totals->has_sum ? totals->sum : (double)NAN);
    wire_add_varint_field(out, HISTOGRAM_COUNT, totals->count);
    wire_add_double_field(out, HISTOGRAM_SUM, sum);
    wire_add_varint_field(out, HISTOGRAM_SCHEMA, wire_zigzag32(schema));
}

/*
 * The store finds the counter resets of a cumulative histogram, because it has the sample before.
 * Other histograms are not compared with the sample before, so they are gauges.
 */
static void put_reset_hint(const struct sample *sample, struct output *out)
{
    if (sample->temporality != SAMPLE_CUMULATIVE)
        wire_add_varint_field(out, HISTOGRAM_RESET_HINT, RESET_HINT_GAUGE);
}

/*
 * Returns true if Prometheus accepts `sum`, the sum of the buckets' counts: it must equal the
 * histogram's count. It may be smaller only if the histogram has no sum of values.
 */
static bool adds_up(const struct sample_totals *totals, uint64_t sum)
{
    bool has_sum = totals->has_sum && !isnan(totals->sum);
    return totals->count == sum || (!has_sum && sum < totals->count);
}

/* --- exponential ------------------------------------------------------------------------------ */

/* Returns the shift: 2^shift neighbours are merged. Returns -1 if the scale is too coarse. */
static int exponential_shift(const struct sample *sample, uint64_t choice)
{
    int64_t scale = sample->value.exponential_histogram.scale;
    int64_t shift = scale > SCHEMA_MOST ? scale - SCHEMA_MOST : 0;
    int64_t fewer = classic_buckets_shift(sample, choice);
    if (scale < SCHEMA_LEAST)
        return -1;
    if (shift < fewer)
        shift = fewer < scale - SCHEMA_LEAST ? fewer : scale - SCHEMA_LEAST;
    return (int)shift;
}

static bool put_exponential(const struct sample *sample, uint64_t choice, struct output *out)
{
    const struct sample_exponential_histogram *histogram = &sample->value.exponential_histogram;
    double threshold = histogram->zero_threshold;
    uint64_t sum = histogram->zero_count;
    int shift = exponential_shift(sample, choice);
    /* With a shift of 62 or more, each half is one bucket. */
    unsigned merged = shift < 0 ? 0 : shift > 62 ? 62 : (unsigned)shift;
    const struct native_walk negative = {.half = &histogram->negative, .shift = merged};
    const struct native_walk positive = {.half = &histogram->positive, .shift = merged};
    if (shift < 0 || !(threshold >= 0 && threshold < (double)INFINITY) || !add_up(negative, &sum) ||
        !add_up(positive, &sum) || !adds_up(&histogram->totals, sum))
        return false;
    put_head(&histogram->totals, histogram->scale - shift, out);
    wire_add_double_field(out, HISTOGRAM_ZERO_THRESHOLD,
                          threshold == 0 ? DEFAULT_ZERO_THRESHOLD : threshold);
    wire_add_varint_field(out, HISTOGRAM_ZERO_COUNT, histogram->zero_count);
    put_buckets(&negative, HISTOGRAM_NEGATIVE_SPANS, HISTOGRAM_NEGATIVE_DELTAS, out);
    put_buckets(&positive, HISTOGRAM_POSITIVE_SPANS, HISTOGRAM_POSITIVE_DELTAS, out);
    put_reset_hint(sample, out);
    return true;
}

/* --- explicit --------------------------------------------------------------------------------- */

static struct native_walk explicit_walk(const struct sample *sample, uint64_t choice)
{
    struct native_walk walk = {.total = sample->value.histogram.totals.count};
    classic_buckets_begin(&walk.classic, sample, choice == BUCKETS_CHANGED ? BUCKETS_ALL : choice);
    return walk;
}

static void put_bounds(const struct native_walk *walk, struct output *out)
{
    struct classic_buckets classic = walk->classic;
    struct classic_bucket bucket;
    wire_add_varint(out, HISTOGRAM_CUSTOM_VALUES); /* a tag of two bytes */
    size_t begun = wire_begin_length(out);
    while (classic_buckets_next(&classic, &bucket))
        wire_add_double(out, bucket.bound);
    wire_end_message(out, begun);
}

static bool put_explicit(const struct sample *sample, uint64_t choice, struct output *out)
{
    const struct sample_totals *totals = &sample->value.histogram.totals;
    const struct native_walk walk = explicit_walk(sample, choice);
    uint64_t sum = 0;
    if (!add_up(walk, &sum) || sum != totals->count)
        return false;
    put_head(totals, SCHEMA_CUSTOM, out);
    put_buckets(&walk, HISTOGRAM_POSITIVE_SPANS, HISTOGRAM_POSITIVE_DELTAS, out);
    put_reset_hint(sample, out);
    put_bounds(&walk, out);
    return true;
}

/* --- either ----------------------------------------------------------------------------------- */

/* A missing histogram has no values. Its sum is the marker that ends the series. */
static bool put_missing(const struct sample *sample, struct output *out)
{
    bool custom = sample->type == SAMPLE_HISTOGRAM;
    wire_add_varint_field(out, HISTOGRAM_COUNT, 0);
    wire_add_double_field(out, HISTOGRAM_SUM, remote_write_end());
    wire_add_varint_field(out, HISTOGRAM_SCHEMA, wire_zigzag32(custom ? SCHEMA_CUSTOM : 0));
    return true;
}

bool native_histogram_put(const struct sample *sample, uint64_t choice, struct output *out)
{
    if (sample->missing)
        return put_missing(sample, out);
    return sample->type == SAMPLE_HISTOGRAM ? put_explicit(sample, choice, out)
                                            : put_exponential(sample, choice, out);
}
