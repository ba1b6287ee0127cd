/*
 * Implements sluice_client.h; telemetry.proto has the wire format.
 *
 * One block of memory holds the client and its metrics. The metrics are a list that only grows:
 * compare-and-swap adds a metric at the front. The flag `flushing` lets one flush at a time use the
 * other members: the datagram, the socket, and the position where the next flush continues.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1 /* for IP_MTU and MSG_DONTWAIT */
#endif
#ifndef _DARWIN_C_SOURCE
#define _DARWIN_C_SOURCE 1 /* for MSG_DONTWAIT */
#endif
#include "sluice_client.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2 && sizeof(long long) == sizeof(uint64_t),
               "an update takes no lock");
_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2, "nor does registering a metric");

#define CACHE_LINE ((size_t)64)

#define MEMORY_DEFAULT ((size_t)1 << 20)
#define MEMORY_LEAST   ((size_t)64 << 10)
#define SENDER_MOST    200
#define HEADER_MOST    1024
#define DATAGRAM_LEAST 512

/*
 * The number of attempts to send a datagram. An attempt may fail with the error of an earlier
 * datagram.
 */
#define SEND_ATTEMPTS 4

/* --- metrics ---------------------------------------------------------------------------------- */

enum kind {
    COUNTER,
    GAUGE,
    HISTOGRAM,
};

/*
 * A metric, aligned to cache lines. Its parts follow each other in memory: this struct, the counts
 * of a histogram (one more than bounds), its bounds, and the encoded fields.
 */
struct metric {
    struct metric *next;
    struct sluice_client *client;
    _Atomic uint64_t value; /* a counter, or the bits of a double: a gauge, or a histogram's sum */
    _Atomic uint64_t *counts;
    double *bounds;
    uint8_t *fields;
    uint32_t bound_count;
    uint16_t head_size; /* bytes of `fields` before the value: name and kind */
    uint16_t tail_size; /* bytes of `fields` after the value: unit and labels */
    uint8_t kind;
};

struct sluice_counter {
    struct metric metric;
};

struct sluice_gauge {
    struct metric metric;
};

struct sluice_histogram {
    struct metric metric;
};

/*
 * GAUGE_UNSET has the bits of a NaN that sluice_gauge_set never stores, because it stores GAUGE_NAN
 * for each NaN.
 */
#define GAUGE_UNSET UINT64_C(0x7ff8736c75696365)
#define GAUGE_NAN   UINT64_C(0x7ff8000000000000)

struct counts {
    _Atomic uint64_t metrics_refused, not_recorded, busy;

    /* Only the running flush writes these. */
    _Atomic uint64_t flushes, datagrams, bytes, samples, oversized, full, refused, failed;
    _Atomic int last_error;
    _Atomic size_t datagram;
};

struct sluice_client {
    _Atomic(struct metric *) metrics;
    _Atomic size_t used; /* bytes of the block in use */
    size_t size;
    _Atomic int64_t last_flush_ns; /* monotonic: start of the last flush */
    atomic_flag flushing;
    struct counts counts;

    pid_t owner; /* the process that may send; -1 means none */
    int socket;  /* -1: closed */
    struct sockaddr_storage to;
    socklen_t to_size;
    size_t datagram_setting; /* maximum bytes of a datagram; 0: by the path's MTU */

    struct sluice_sealer *sealer; /* NULL if datagrams are not sealed */
    bool has_session;             /* the sealer has a session for this client */
    size_t before;                /* bytes before a datagram's content; 0 if it is not sealed */
    size_t sealing; /* bytes that sealing adds to a datagram, before and after its content */

    /* Only the running flush uses these. */
    uint64_t boot_id; /* also the start time of cumulative values */
    uint64_t sequence;
    /* The metric with which the next flush begins. NULL means the first one in the list. */
    struct metric *resume;

    /*
     * The encoded fields at the beginning of each datagram: the sender, and the labels of all
     * metrics.
     */
    size_t sender_size;
    size_t labels_size;
    uint8_t sender[SENDER_MOST + 4];
    uint8_t labels[HEADER_MOST];

    uint8_t sample[SLUICE_DATAGRAM_MOST];
    uint8_t datagram[SLUICE_DATAGRAM_MOST];
};

/*
 * Adds to the counter. The relaxed order is enough, because no other data depends on the counter.
 */
static void count(_Atomic uint64_t *counter, uint64_t value)
{
    atomic_fetch_add_explicit(counter, value, memory_order_relaxed);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* --- updates ---------------------------------------------------------------------------------- */

void sluice_counter_add(struct sluice_counter *counter, uint64_t value)
{
    if (counter != NULL)
        count(&counter->metric.value, value);
}

void sluice_gauge_set(struct sluice_gauge *gauge, double value)
{
    if (gauge == NULL)
        return;
    uint64_t bits = value == value ? bits_of(value) : GAUGE_NAN;
    atomic_store_explicit(&gauge->metric.value, bits, memory_order_relaxed);
}

/*
 * Returns the index of the first bound that is not less than the value, or bound_count if there is
 * none.
 */
static size_t bucket_of(const struct metric *metric, double value)
{
    size_t low = 0;
    size_t high = metric->bound_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (metric->bounds[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sluice_histogram_record(struct sluice_histogram *histogram, double value)
{
    if (histogram == NULL)
        return;
    struct metric *metric = &histogram->metric;
    if (value != value) {
        count(&metric->client->counts.not_recorded, 1);
        return;
    }
    count(&metric->counts[bucket_of(metric, value)], 1);
    uint64_t was = atomic_load_explicit(&metric->value, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&metric->value, &was,
                                                  bits_of(double_of(was) + value),
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

/* --- the wire format (protobuf.dev, "Encoding") ----------------------------------------------- */

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_BYTES = 2,
};

/* Field numbers of telemetry.proto. */
enum field {
    TELEMETRY_SENDER_ID = 1,
    TELEMETRY_BOOT_ID = 2,
    TELEMETRY_SEQUENCE = 3,
    TELEMETRY_TIME = 4,
    TELEMETRY_LABELS = 5,
    TELEMETRY_SAMPLES = 6,

    LABEL_KEY = 1,
    LABEL_VALUE = 2,

    SAMPLE_NAME = 1,
    SAMPLE_KIND = 2,
    SAMPLE_DOUBLE = 3,
    SAMPLE_UINT = 5,
    SAMPLE_HISTOGRAM = 6,
    SAMPLE_UNIT = 7,
    SAMPLE_START_TIME = 9,
    SAMPLE_LABELS = 10,

    HISTOGRAM_COUNT = 1,
    HISTOGRAM_SUM = 2,
    HISTOGRAM_BOUNDS = 3,
    HISTOGRAM_COUNTS = 4,
};

#define KIND_CUMULATIVE 1

#define VARINT_MOST  10
#define FIXED64_SIZE 9 /* a tag of one byte, and eight bytes */

static size_t varint_size(uint64_t value)
{
    size_t size = 1;
    while (value >= 0x80) {
        value >>= 7;
        size++;
    }
    return size;
}

static uint8_t *put_varint(uint8_t *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

static uint8_t *put_tag(uint8_t *at, enum field field, enum wire_type type)
{
    return put_varint(at, (uint64_t)field << 3 | type);
}

static uint8_t *put_number(uint8_t *at, enum field field, uint64_t value)
{
    return put_varint(put_tag(at, field, WIRE_VARINT), value);
}

static uint8_t *put_eight(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        *at++ = (uint8_t)(value >> (8 * i));
    return at;
}

static uint8_t *put_fixed64(uint8_t *at, enum field field, uint64_t value)
{
    return put_eight(put_tag(at, field, WIRE_FIXED64), value);
}

static uint8_t *put_length(uint8_t *at, enum field field, size_t size)
{
    return put_varint(put_tag(at, field, WIRE_BYTES), size);
}

static uint8_t *put_bytes(uint8_t *at, enum field field, const void *bytes, size_t size)
{
    at = put_length(at, field, size);
    memcpy(at, bytes, size);
    return at + size;
}

static size_t sized(size_t size)
{
    return 1 + varint_size(size) + size;
}

/* --- texts ------------------------------------------------------------------------------------ */

/*
 * Returns true if the text is UTF-8 (RFC 3629). A collector refuses a datagram with a text that is
 * not UTF-8.
 */
static bool is_utf8(const char *text)
{
    const uint8_t *at = (const uint8_t *)text;
    while (*at != 0) {
        uint8_t first = *at++;
        if (first < 0x80)
            continue;
        int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
        if (first < 0xc2 || first > 0xf4)
            return false;
        uint8_t least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        uint8_t most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        for (; more > 0; more--) {
            if (*at < least || *at > most)
                return false;
            at++;
            least = 0x80;
            most = 0xbf;
        }
    }
    return true;
}

static size_t label_size(const struct sluice_label *label)
{
    return sized(strlen(label->key)) + sized(strlen(label->value));
}

static bool add_labels_size(const struct sluice_label *labels, size_t *size)
{
    for (const struct sluice_label *each = labels; each != NULL && each->key != NULL; each++) {
        if (each->value == NULL || !is_utf8(each->key) || !is_utf8(each->value))
            return false;
        *size += sized(label_size(each));
    }
    return true;
}

static uint8_t *put_labels(uint8_t *at, enum field field, const struct sluice_label *labels)
{
    for (const struct sluice_label *each = labels; each != NULL && each->key != NULL; each++) {
        at = put_length(at, field, label_size(each));
        at = put_bytes(at, LABEL_KEY, each->key, strlen(each->key));
        at = put_bytes(at, LABEL_VALUE, each->value, strlen(each->value));
    }
    return at;
}

/* --- registering metrics ---------------------------------------------------------------------- */

struct definition {
    enum kind kind;
    const char *name;
    const char *unit;
    const struct sluice_label *labels;
    const double *bounds;
    size_t bound_count;
    size_t head_size;
    size_t tail_size;
};

static size_t aligned(size_t size)
{
    return (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

static size_t header_most(const struct sluice_client *client)
{
    return client->sender_size + FIXED64_SIZE + 1 + VARINT_MOST + FIXED64_SIZE +
           client->labels_size;
}

static size_t value_most(enum kind kind, size_t bound_count)
{
    if (kind != HISTOGRAM)
        return 1 + VARINT_MOST + FIXED64_SIZE;
    return sized(1 + VARINT_MOST + FIXED64_SIZE + sized(8 * bound_count) +
                 sized(VARINT_MOST * (bound_count + 1))) +
           FIXED64_SIZE;
}

/*
 * Returns true if a sample of this size fits in a datagram even when all other fields have their
 * largest size.
 */
static bool fits(const struct sluice_client *client, size_t sample_size)
{
    size_t limit = client->datagram_setting != 0 ? client->datagram_setting : SLUICE_DATAGRAM_MOST;
    return header_most(client) + sized(sample_size) + client->sealing <= limit;
}

/* Returns true if all registered metrics still fit after the client's sender has changed. */
static bool all_fit(const struct sluice_client *client)
{
    const struct metric *each = atomic_load(&client->metrics);
    while (each != NULL && fits(client, each->head_size + each->tail_size +
                                            value_most((enum kind)each->kind, each->bound_count)))
        each = each->next;
    return each == NULL;
}

static bool are_bounds(const double *bounds, size_t bound_count)
{
    if (bounds == NULL || bound_count == 0 || bound_count > SLUICE_BOUNDS_MOST)
        return false;
    for (size_t i = 0; i < bound_count; i++) {
        bool finite = bounds[i] - bounds[i] == 0;
        if (!finite || (i != 0 && !(bounds[i - 1] < bounds[i])))
            return false;
    }
    return true;
}

static bool measure(const struct sluice_client *client, struct definition *made)
{
    if (made->name == NULL || *made->name == 0 || !is_utf8(made->name))
        return false;
    if (made->kind == HISTOGRAM && !are_bounds(made->bounds, made->bound_count))
        return false;
    made->head_size = sized(strlen(made->name)) + (made->kind == GAUGE ? 0 : 2);
    made->tail_size = 0;
    if (made->unit != NULL) {
        if (!is_utf8(made->unit))
            return false;
        made->tail_size += sized(strlen(made->unit));
    }
    if (!add_labels_size(made->labels, &made->tail_size))
        return false;
    return fits(client,
                made->head_size + made->tail_size + value_most(made->kind, made->bound_count));
}

static void put_fields(uint8_t *at, const struct definition *from)
{
    at = put_bytes(at, SAMPLE_NAME, from->name, strlen(from->name));
    if (from->kind != GAUGE)
        at = put_number(at, SAMPLE_KIND, KIND_CUMULATIVE);
    if (from->unit != NULL)
        at = put_bytes(at, SAMPLE_UNIT, from->unit, strlen(from->unit));
    put_labels(at, SAMPLE_LABELS, from->labels);
}

static bool is_from(const struct metric *metric, const struct definition *from,
                    const uint8_t *fields)
{
    return metric->kind == from->kind && metric->bound_count == from->bound_count &&
           metric->head_size == from->head_size && metric->tail_size == from->tail_size &&
           memcmp(metric->fields, fields, from->head_size + from->tail_size) == 0 &&
           (from->bound_count == 0 ||
            memcmp(metric->bounds, from->bounds, from->bound_count * sizeof(double)) == 0);
}

/*
 * Searches for the metric in the list, from `first` to the one before `end`, or to the end of the
 * list if `end` is NULL.
 */
static struct metric *find(struct metric *first, const struct metric *end,
                           const struct definition *from, const uint8_t *fields)
{
    for (struct metric *each = first; each != end; each = each->next)
        if (is_from(each, from, fields))
            return each;
    return NULL;
}

/* Returns `size` zero bytes of the block, or NULL if it is used up. */
static void *take(struct sluice_client *client, size_t size)
{
    size_t used = atomic_load_explicit(&client->used, memory_order_relaxed);
    do {
        if (size > client->size - used)
            return NULL;
    } while (!atomic_compare_exchange_weak_explicit(&client->used, &used, used + size,
                                                    memory_order_relaxed, memory_order_relaxed));
    return (uint8_t *)client + used;
}

/*
 * Returns the bits of a metric's value before its first update. For a counter or a histogram they
 * are 0, which is also the number 0.0.
 */
static uint64_t first_value(enum kind kind)
{
    return kind == GAUGE ? GAUGE_UNSET : 0;
}

static struct metric *make(struct sluice_client *client, const struct definition *from,
                           const uint8_t *fields)
{
    size_t counts = from->kind == HISTOGRAM ? from->bound_count + 1 : 0;
    size_t fields_size = from->head_size + from->tail_size;
    struct metric *made =
        take(client, aligned(sizeof *made + counts * sizeof *made->counts +
                             from->bound_count * sizeof *made->bounds + fields_size));
    if (made == NULL)
        return NULL;
    made->client = client;
    made->kind = (uint8_t)from->kind;
    uint8_t *at = (uint8_t *)(made + 1);
    made->counts = (void *)at;
    made->bounds = (void *)(at += counts * sizeof *made->counts);
    made->fields = at + from->bound_count * sizeof *made->bounds;
    made->bound_count = (uint32_t)from->bound_count;
    made->head_size = (uint16_t)from->head_size;
    made->tail_size = (uint16_t)from->tail_size;
    atomic_init(&made->value, first_value(from->kind));
    if (from->bound_count != 0)
        memcpy(made->bounds, from->bounds, from->bound_count * sizeof *made->bounds);
    memcpy(made->fields, fields, fields_size);
    return made;
}

/*
 * Returns the metric with this definition, which is made if necessary, or NULL if out of memory. If
 * two threads make the same metric at once, one of the two is used. The memory of the other is lost
 * until the client is closed.
 */
static struct metric *find_or_make(struct sluice_client *client, const struct definition *from,
                                   const uint8_t *fields)
{
    struct metric *made = NULL;
    struct metric *searched = NULL; /* the list from this metric on was searched */
    struct metric *front = atomic_load_explicit(&client->metrics, memory_order_acquire);
    for (;;) {
        struct metric *found = find(front, searched, from, fields);
        if (found != NULL)
            return found;
        if (made == NULL && (made = make(client, from, fields)) == NULL)
            return NULL;
        made->next = searched = front;
        if (atomic_compare_exchange_strong_explicit(&client->metrics, &front, made,
                                                    memory_order_release, memory_order_acquire))
            return made;
    }
}

static struct metric *registered(struct sluice_client *client, struct definition *from)
{
    if (client == NULL)
        return NULL;
    struct metric *metric = NULL;
    if (measure(client, from)) {
        uint8_t fields[SLUICE_DATAGRAM_MOST];
        put_fields(fields, from);
        metric = find_or_make(client, from, fields);
    }
    if (metric == NULL)
        count(&client->counts.metrics_refused, 1);
    return metric;
}

/* The public struct of each kind has only a struct metric, so pointers to them can be converted. */

struct sluice_counter *sluice_client_counter(struct sluice_client *client, const char *name,
                                             const char *unit, const struct sluice_label *labels)
{
    struct definition from = {.kind = COUNTER, .name = name, .unit = unit, .labels = labels};
    return (void *)registered(client, &from);
}

struct sluice_gauge *sluice_client_gauge(struct sluice_client *client, const char *name,
                                         const char *unit, const struct sluice_label *labels)
{
    struct definition from = {.kind = GAUGE, .name = name, .unit = unit, .labels = labels};
    return (void *)registered(client, &from);
}

struct sluice_histogram *sluice_client_histogram(struct sluice_client *client, const char *name,
                                                 const char *unit,
                                                 const struct sluice_label *labels,
                                                 const double *bounds, size_t bound_count)
{
    struct definition from = {
        .kind = HISTOGRAM,
        .name = name,
        .unit = unit,
        .labels = labels,
        .bounds = bounds,
        .bound_count = bound_count,
    };
    return (void *)registered(client, &from);
}

/* --- making datagrams ------------------------------------------------------------------------- */

/* Writes the sample of a histogram. Reads each count once, because another thread may change it. */
static uint8_t *put_histogram(uint8_t *at, const struct metric *metric)
{
    uint64_t counts[SLUICE_BOUNDS_MOST + 1];
    uint64_t sum = atomic_load_explicit(&metric->value, memory_order_relaxed);
    uint64_t total = 0;
    size_t counts_size = 0;
    size_t bounds_size = 8 * (size_t)metric->bound_count;
    for (size_t i = 0; i <= metric->bound_count; i++) {
        counts[i] = atomic_load_explicit(&metric->counts[i], memory_order_relaxed);
        total += counts[i];
        counts_size += varint_size(counts[i]);
    }
    at =
        put_length(at, SAMPLE_HISTOGRAM,
                   1 + varint_size(total) + FIXED64_SIZE + sized(bounds_size) + sized(counts_size));
    at = put_number(at, HISTOGRAM_COUNT, total);
    at = put_fixed64(at, HISTOGRAM_SUM, sum);
    at = put_length(at, HISTOGRAM_BOUNDS, bounds_size);
    for (size_t i = 0; i < metric->bound_count; i++)
        at = put_eight(at, bits_of(metric->bounds[i]));
    at = put_length(at, HISTOGRAM_COUNTS, counts_size);
    for (size_t i = 0; i <= metric->bound_count; i++)
        at = put_varint(at, counts[i]);
    return at;
}

static size_t make_sample(struct sluice_client *client, const struct metric *metric)
{
    uint8_t *at = client->sample;
    memcpy(at, metric->fields, metric->head_size);
    at += metric->head_size;
    uint64_t value = atomic_load_explicit(&metric->value, memory_order_relaxed);
    switch ((enum kind)metric->kind) {
    case COUNTER:
        at = put_number(at, SAMPLE_UINT, value);
        break;
    case GAUGE:
        if (value == GAUGE_UNSET)
            return 0;
        at = put_fixed64(at, SAMPLE_DOUBLE, value);
        break;
    case HISTOGRAM:
        at = put_histogram(at, metric);
        break;
    }
    if (metric->kind != GAUGE)
        at = put_fixed64(at, SAMPLE_START_TIME, client->boot_id);
    memcpy(at, metric->fields + metric->head_size, metric->tail_size);
    at += metric->tail_size;
    return (size_t)(at - client->sample);
}

/* The state of the datagram in client->datagram while samples are added to it. */
struct filling {
    uint64_t time_ns; /* since 1970 UTC; the same for all datagrams of a flush */
    size_t limit;     /* maximum bytes; without a configured size, a single sample may exceed it */
    size_t size;      /* bytes of the content; like `limit` without those that sealing adds */
    size_t samples;
    struct metric *first; /* the metric of its first sample */
};

static uint8_t *content_of(struct sluice_client *client)
{
    return client->datagram + client->before;
}

static void begin(struct sluice_client *client, struct filling *filling)
{
    uint8_t *at = content_of(client);
    memcpy(at, client->sender, client->sender_size);
    at += client->sender_size;
    at = put_fixed64(at, TELEMETRY_BOOT_ID, client->boot_id);
    at = put_number(at, TELEMETRY_SEQUENCE, client->sequence + 1);
    at = put_fixed64(at, TELEMETRY_TIME, filling->time_ns);
    memcpy(at, client->labels, client->labels_size);
    at += client->labels_size;
    filling->size = (size_t)(at - content_of(client));
    filling->samples = 0;
    filling->first = NULL;
}

static void append(struct sluice_client *client, struct filling *filling, struct metric *metric,
                   size_t sample_size)
{
    uint8_t *at = content_of(client) + filling->size;
    at = put_bytes(at, TELEMETRY_SAMPLES, client->sample, sample_size);
    filling->size = (size_t)(at - content_of(client));
    if (filling->samples++ == 0)
        filling->first = metric;
}

/* Returns the maximum size of a datagram: as configured, or by the path's MTU. */
static size_t datagram_limit(const struct sluice_client *client)
{
    if (client->datagram_setting != 0)
        return client->datagram_setting;
    bool ipv6 = client->to.ss_family == AF_INET6;
    int mtu = ipv6 ? 1280 : 1500;
#if defined(IP_MTU) && defined(IPV6_MTU) /* not every POSIX system has them */
    int found = 0;
    socklen_t size = sizeof found;
    if (getsockopt(client->socket, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, ipv6 ? IPV6_MTU : IP_MTU,
                   &found, &size) == 0 &&
        found > 0)
        mtu = found;
#endif
    int headers = (ipv6 ? 40 : 20) + 8;
    if (mtu < DATAGRAM_LEAST + headers)
        return DATAGRAM_LEAST;
    size_t limit = (size_t)(mtu - headers);
    return limit < SLUICE_DATAGRAM_MOST ? limit : SLUICE_DATAGRAM_MOST;
}

/* --- sending ---------------------------------------------------------------------------------- */

static enum sluice_flushed failed(struct sluice_client *client, int why)
{
    count(&client->counts.failed, 1);
    atomic_store_explicit(&client->counts.last_error, why, memory_order_relaxed);
    return SLUICE_FAILED;
}

static enum sluice_flushed send_datagram(struct sluice_client *client,
                                         const struct filling *filling)
{
    struct counts *counts = &client->counts;
    size_t size = filling->size + client->sealing;
    if (client->sealer != NULL) {
        int error = client->sealer->seal(client->sealer, client->datagram, filling->size);
        if (error != 0)
            return failed(client, error);
    }
    for (int attempt = 0; attempt < SEND_ATTEMPTS; attempt++) {
        if (send(client->socket, client->datagram, size, MSG_DONTWAIT) >= 0) {
            client->sequence++;
            count(&counts->datagrams, 1);
            count(&counts->bytes, size);
            count(&counts->samples, filling->samples);
            count(&counts->oversized, filling->size > filling->limit);
            return SLUICE_SENT;
        }
        switch (errno) {
        case EINTR:
            break;
        case ECONNREFUSED: /* the error of an earlier datagram; this one was not sent */
            count(&counts->refused, 1);
            break;
        case EAGAIN:
#if EWOULDBLOCK != EAGAIN
        case EWOULDBLOCK:
#endif
        case ENOBUFS:
            count(&counts->full, 1);
            return SLUICE_FULL;
        default:
            return failed(client, errno);
        }
    }
    return failed(client, errno);
}

static enum sluice_flushed send_filled(struct sluice_client *client, const struct filling *filling)
{
    return filling->samples != 0 ? send_datagram(client, filling) : SLUICE_SENT;
}

/*
 * Adds a metric to the datagram. If its sample does not fit, sends the datagram first and begins a
 * new one. If the socket is full, the next flush begins with the first metric of the unsent
 * datagram. If the system refuses the datagram, the next flush begins after the last metric in it,
 * because a datagram that can never be sent must not block the others.
 */
static enum sluice_flushed flush_metric(struct sluice_client *client, struct filling *filling,
                                        struct metric *metric)
{
    size_t size = make_sample(client, metric);
    if (size == 0)
        return SLUICE_SENT;
    if (filling->samples != 0 && filling->size + sized(size) > filling->limit) {
        enum sluice_flushed result = send_datagram(client, filling);
        if (result != SLUICE_SENT) {
            client->resume = result == SLUICE_FULL ? filling->first : metric;
            return result;
        }
        begin(client, filling);
    }
    append(client, filling, metric, size);
    return SLUICE_SENT;
}

/*
 * Flushes the metrics in the list, from `first` to the one before `end`, or to the end of the list
 * if `end` is NULL.
 */
static enum sluice_flushed flush_metrics(struct sluice_client *client, struct filling *filling,
                                         struct metric *first, const struct metric *end)
{
    enum sluice_flushed result = SLUICE_SENT;
    for (struct metric *each = first; each != end && result == SLUICE_SENT; each = each->next)
        result = flush_metric(client, filling, each);
    return result;
}

static enum sluice_flushed flush_all(struct sluice_client *client)
{
    size_t limit = datagram_limit(client);
    struct filling filling = {
        .time_ns = (uint64_t)now_ns(CLOCK_REALTIME),
        .limit = limit - client->sealing,
    };
    atomic_store_explicit(&client->counts.datagram, limit, memory_order_relaxed);
    begin(client, &filling);

    struct metric *front = atomic_load_explicit(&client->metrics, memory_order_acquire);
    struct metric *middle = client->resume != NULL ? client->resume : front;
    client->resume = NULL;
    enum sluice_flushed result = flush_metrics(client, &filling, middle, NULL);
    if (result == SLUICE_SENT)
        result = flush_metrics(client, &filling, front, middle);
    if (result != SLUICE_SENT)
        return result;
    result = send_filled(client, &filling);
    if (result == SLUICE_FULL)
        client->resume = filling.first;
    return result;
}

static bool is_off(const struct sluice_client *client)
{
    return client == NULL || client->owner != getpid();
}

enum sluice_flushed sluice_client_flush(struct sluice_client *client)
{
    if (is_off(client))
        return SLUICE_OFF;
    if (atomic_flag_test_and_set_explicit(&client->flushing, memory_order_acquire)) {
        count(&client->counts.busy, 1);
        return SLUICE_BUSY;
    }
    atomic_store_explicit(&client->last_flush_ns, now_ns(CLOCK_MONOTONIC), memory_order_relaxed);
    enum sluice_flushed result = flush_all(client);
    count(&client->counts.flushes, 1);
    atomic_flag_clear_explicit(&client->flushing, memory_order_release);
    return result;
}

enum sluice_flushed sluice_client_flush_every(struct sluice_client *client, unsigned milliseconds)
{
    if (client == NULL)
        return SLUICE_OFF;
    int64_t now = now_ns(CLOCK_MONOTONIC);
    int64_t last = atomic_load_explicit(&client->last_flush_ns, memory_order_relaxed);
    if (now - last < (int64_t)milliseconds * 1000000)
        return SLUICE_NOT_DUE;
    /* If several threads are here at once, only the thread that sets the time flushes. */
    if (!atomic_compare_exchange_strong_explicit(&client->last_flush_ns, &last, now,
                                                 memory_order_relaxed, memory_order_relaxed))
        return SLUICE_NOT_DUE;
    return sluice_client_flush(client);
}

/* --- opening and closing ---------------------------------------------------------------------- */

static int fail(int error)
{
    errno = error;
    return -1;
}

/*
 * Splits "HOST:PORT" or "[IPV6]:PORT". Copies the host to `host`, which has `size` bytes, and sets
 * *port to the port.
 */
static int divide(const char *to, char *host, size_t size, const char **port)
{
    const char *colon = to != NULL ? strrchr(to, ':') : NULL;
    if (colon == NULL || colon == to || colon[1] == 0)
        return fail(EINVAL);
    const char *begin = to;
    const char *end = colon;
    if (*to == '[') {
        begin++;
        if (*--end != ']')
            return fail(EINVAL);
    }
    size_t length = end > begin ? (size_t)(end - begin) : 0;
    bool has_colon = memchr(begin, ':', length) != NULL;
    if (length == 0 || length >= size || has_colon != (*to == '['))
        return fail(EINVAL);
    memcpy(host, begin, length);
    host[length] = 0;
    *port = colon + 1;
    return 0;
}

/* Returns true for decimal digits from 1 to 65535. getaddrinfo would also accept other texts. */
static bool is_port(const char *text)
{
    unsigned value = 0;
    for (const char *at = text; *at != 0; at++) {
        if (*at < '0' || *at > '9' || at - text > 4)
            return false;
        value = value * 10 + (unsigned)(*at - '0');
    }
    return value >= 1 && value <= 65535;
}

static int look_up(struct sluice_client *client, const char *to)
{
    char host[256];
    const char *port;
    if (divide(to, host, sizeof host, &port) != 0)
        return -1;
    if (!is_port(port))
        return fail(EINVAL);
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    int result = getaddrinfo(host, port, &hints, &found);
    if (result == EAI_MEMORY)
        return fail(ENOMEM);
    if (result != 0)
        return fail(EADDRNOTAVAIL);
    memcpy(&client->to, found->ai_addr, found->ai_addrlen);
    client->to_size = found->ai_addrlen;
    freeaddrinfo(found);
    return 0;
}

static void close_socket(struct sluice_client *client)
{
    if (client->socket >= 0)
        close(client->socket);
    client->socket = -1;
}

static int connect_socket(struct sluice_client *client)
{
    client->socket = socket(client->to.ss_family, SOCK_DGRAM, 0);
    if (client->socket < 0)
        return -1;
    int flags = fcntl(client->socket, F_GETFD);
    if (flags >= 0 && fcntl(client->socket, F_SETFD, flags | FD_CLOEXEC) == 0 &&
        connect(client->socket, (const struct sockaddr *)&client->to, client->to_size) == 0)
        return 0;
    int error = errno;
    close_socket(client);
    return fail(error);
}

static int name_sender(struct sluice_client *client, const char *sender)
{
    if (sender == NULL || *sender == 0 || strlen(sender) > SENDER_MOST || !is_utf8(sender))
        return fail(EINVAL);
    uint8_t *end = put_bytes(client->sender, TELEMETRY_SENDER_ID, sender, strlen(sender));
    client->sender_size = (size_t)(end - client->sender);
    return 0;
}

static int share_labels(struct sluice_client *client, const struct sluice_label *labels)
{
    size_t size = 0;
    if (!add_labels_size(labels, &size))
        return fail(EINVAL);
    if (client->sender_size + size > HEADER_MOST)
        return fail(EMSGSIZE);
    put_labels(client->labels, TELEMETRY_LABELS, labels);
    client->labels_size = size;
    return 0;
}

/* Begins a session of the sealer, if there is one. On failure the socket is closed. */
static int begin_session(struct sluice_client *client)
{
    int error = client->sealer != NULL ? client->sealer->begin(client->sealer) : 0;
    client->has_session = client->sealer != NULL && error == 0;
    if (error == 0)
        return 0;
    close_socket(client);
    return fail(error);
}

static void end_session(struct sluice_client *client)
{
    if (client->has_session)
        client->sealer->end(client->sealer);
    client->has_session = false;
}

/*
 * Begins a new life of the client. Its boot_id is the time in nanoseconds, and differs from the
 * last one.
 */
static void begin_life(struct sluice_client *client)
{
    uint64_t now = (uint64_t)now_ns(CLOCK_REALTIME);
    client->boot_id = now != client->boot_id ? now : now + 1;
    client->sequence = 0;
    client->resume = NULL;
    client->owner = getpid();
    atomic_store(&client->last_flush_ns, now_ns(CLOCK_MONOTONIC));
    atomic_flag_clear(&client->flushing);
}

/* Sets up the client, whose memory is zero except `size`. */
static int set_up(struct sluice_client *client, const char *to, const char *sender,
                  const struct sluice_settings *settings)
{
    client->socket = -1;
    atomic_init(&client->used, aligned(sizeof *client));
    client->datagram_setting = settings->datagram;
    client->sealer = settings->sealer;
    client->before = settings->sealer != NULL ? SLUICE_SEAL_HEADER : 0;
    client->sealing = settings->sealer != NULL ? SLUICE_SEAL_HEADER + SLUICE_SEAL_TAG : 0;
    if (name_sender(client, sender) != 0 || share_labels(client, settings->labels) != 0 ||
        look_up(client, to) != 0 || connect_socket(client) != 0 || begin_session(client) != 0)
        return -1;
    begin_life(client);
    return 0;
}

/*
 * Allocates a block that is aligned to a cache line. The bytes before it contain the pointer for
 * free().
 */
static struct sluice_client *take_block(size_t size)
{
    char *block = calloc(1, size + CACHE_LINE + sizeof(void *));
    if (block == NULL)
        return NULL;
    uintptr_t past = (uintptr_t)block + sizeof(void *);
    struct sluice_client *client =
        (void *)(block + sizeof(void *) + (CACHE_LINE - past % CACHE_LINE) % CACHE_LINE);
    memcpy((char *)client - sizeof(void *), &block, sizeof block);
    client->size = size;
    return client;
}

static void free_block(struct sluice_client *client)
{
    void *block;
    memcpy(&block, (char *)client - sizeof(void *), sizeof block);
    free(block);
}

struct sluice_client *sluice_client_open(const char *to, const char *sender,
                                         const struct sluice_settings *settings)
{
    static const struct sluice_settings defaults = {.memory = 0};
    if (settings == NULL)
        settings = &defaults;
    size_t memory = settings->memory != 0 ? settings->memory : MEMORY_DEFAULT;
    size_t datagram = settings->datagram;
    if (memory < MEMORY_LEAST || memory > SIZE_MAX / 2 ||
        (datagram != 0 && (datagram < DATAGRAM_LEAST || datagram > SLUICE_DATAGRAM_MOST))) {
        errno = EINVAL;
        return NULL;
    }
    struct sluice_client *client = take_block(memory);
    if (client == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    if (set_up(client, to, sender, settings) == 0)
        return client;
    int error = errno;
    free_block(client);
    errno = error;
    return NULL;
}

void sluice_client_close(struct sluice_client *client)
{
    if (client == NULL)
        return;
    sluice_client_flush(client);
    close_socket(client);
    end_session(client);
    free_block(client);
}

/* --- renewing --------------------------------------------------------------------------------- */

static void reset(struct metric *metric)
{
    atomic_store_explicit(&metric->value, first_value((enum kind)metric->kind),
                          memory_order_relaxed);
    if (metric->kind == HISTOGRAM)
        for (size_t i = 0; i <= metric->bound_count; i++)
            atomic_store_explicit(&metric->counts[i], 0, memory_order_relaxed);
}

int sluice_client_renew(struct sluice_client *client, const char *sender)
{
    if (client == NULL)
        return fail(EINVAL);
    client->owner = -1;
    if (sender != NULL && name_sender(client, sender) != 0)
        return -1;
    if (client->sender_size + client->labels_size > HEADER_MOST || !all_fit(client))
        return fail(EMSGSIZE);
    close_socket(client);
    if (connect_socket(client) != 0)
        return -1;
    end_session(client);
    if (begin_session(client) != 0)
        return -1;
    for (struct metric *each = atomic_load(&client->metrics); each != NULL; each = each->next)
        reset(each);
    memset(&client->counts, 0, sizeof client->counts);
    begin_life(client);
    return 0;
}

/* --- counts ----------------------------------------------------------------------------------- */

static uint64_t read_count(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

struct sluice_client_counts sluice_client_counts(const struct sluice_client *client)
{
    if (client == NULL)
        return (struct sluice_client_counts){0};
    uint64_t metrics = 0;
    for (const struct metric *each = atomic_load(&client->metrics); each != NULL; each = each->next)
        metrics++;
    const struct counts *from = &client->counts;
    return (struct sluice_client_counts){
        .metrics = metrics,
        .metrics_refused = read_count(&from->metrics_refused),
        .not_recorded = read_count(&from->not_recorded),
        .flushes = read_count(&from->flushes),
        .busy = read_count(&from->busy),
        .datagrams = read_count(&from->datagrams),
        .bytes = read_count(&from->bytes),
        .samples = read_count(&from->samples),
        .oversized = read_count(&from->oversized),
        .full = read_count(&from->full),
        .refused = read_count(&from->refused),
        .failed = read_count(&from->failed),
        .last_error = atomic_load_explicit(&from->last_error, memory_order_relaxed),
        .datagram = atomic_load_explicit(&from->datagram, memory_order_relaxed),
    };
}
