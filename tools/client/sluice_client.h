/*
 * Metrics from an application to Sluice, over UDP, in Sluice's own schema (telemetry).
 *
 *     struct sluice_client *client = sluice_client_open("127.0.0.1:5555", "web1/shop", NULL);
 *     struct sluice_counter *orders = sluice_client_counter(client, "shop.orders", "1", NULL);
 *     sluice_counter_add(orders, 1);
 *     sluice_client_flush(client);
 *     sluice_client_close(client);
 *
 * The collector listens with --listen 'udp://127.0.0.1:5555?schema=telemetry'.
 *
 * Updates are aggregated in the client: an update adds to a number in memory, and a flush sends the
 * numbers. Counters and histograms are cumulative (the sum since the client was opened), so the next
 * flush repeats the content of a lost datagram. A flush sends every metric, also unchanged ones.
 *
 * Lifecycle: open a client, register metrics, update them, flush, close. Register a metric once and
 * keep the pointer: registering searches all metrics. A metric lives as long as its client.
 *
 * Threads: every function may be called by any thread at any time, except sluice_client_close and
 * sluice_client_renew, during which no other function may use the client. Updates are lock-free,
 * make no system call, and may be called in a signal handler. The library starts no thread: the
 * application calls sluice_client_flush, or sluice_client_flush_every, which costs little until it
 * is due. No function waits for a lock or for a full socket.
 *
 * Memory: sluice_client_open allocates once. No other function allocates.
 *
 * fork: a child does not send the values of its parent. In a child the client is off, and a flush
 * returns SLUICE_OFF, until sluice_client_renew starts a new life of the client there.
 *
 * Errors: every function accepts a NULL client or metric and then has no effect, so an application
 * can run without its metrics. sluice_client_counts has the numbers of failures.
 *
 * Texts are UTF-8 and end with a zero byte. The client copies them.
 *
 * Needs POSIX and lock-free 64-bit atomics (C11); the header is also C++. The library has no other
 * dependency: link with `pkg-config --libs sluice-client`, or compile sluice_client.c into the
 * application.
 */
#ifndef SLUICE_CLIENT_H
#define SLUICE_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sluice_client;
struct sluice_counter;
struct sluice_gauge;
struct sluice_histogram;

/* An array of labels; ends with a NULL key. */
struct sluice_label {
    const char *key;
    const char *value;
};

/* Settings that are 0 or NULL have their default. */
struct sluice_settings {
    /* Labels of all metrics of the client. A metric's own label takes precedence. */
    const struct sluice_label *labels;

    /*
     * Bytes that the client allocates: default 1 MiB, at least 64 KiB. A metric takes about 80
     * bytes and the lengths of its texts, a histogram 16 more for each bucket, in steps of 64.
     */
    size_t memory;

    /*
     * The largest datagram in bytes, without IP and UDP headers, from 512 to SLUICE_DATAGRAM_MOST.
     * No datagram is larger: a metric that could need more is not registered.
     *
     * The default follows the path's MTU, which is read before each flush (Linux: IP_MTU, IPV6_MTU;
     * on other systems 1500 for IPv4, 1280 for IPv6). A metric that needs more then has its own
     * datagram, which IP fragments and which counts in oversized.
     */
    size_t datagram;
};

/*
 * The limit for an MTU of 9000 with IPv4, and for larger ones, such as that of a loopback
 * interface.
 */
#define SLUICE_DATAGRAM_MOST 8972

/* Largest number of bounds of a histogram. */
#define SLUICE_BOUNDS_MOST 128

/*
 * Opens a client that sends to `to`, "HOST:PORT" or "[IPV6]:PORT". A name is resolved once, which
 * may wait for a name server; an address does not wait.
 *
 * `sender` names the sender, e.g. "web1/shop": at most 200 bytes, the same after a restart, and
 * used by only one process of its host at a time. The collector finds lost datagrams by the
 * sender's sequence numbers. `settings` may be NULL.
 *
 * Returns NULL with errno set: EINVAL (an invalid argument), EADDRNOTAVAIL (no such host), EMSGSIZE
 * (the sender's name and the labels take more than 1024 bytes), ENOMEM, or the error of socket(2)
 * or connect(2).
 */
struct sluice_client *sluice_client_open(const char *to, const char *sender,
                                         const struct sluice_settings *settings);

/* Flushes once more, closes the socket and frees the client and its metrics. */
void sluice_client_close(struct sluice_client *client);

/*
 * Registers a metric, or returns the registered one with the same texts and bounds. `unit` is a
 * UCUM code ("1", "By", "s") or NULL; `labels` may be NULL.
 *
 * Returns NULL and counts it in metrics_refused if a text is not UTF-8, the name is empty, the
 * client has no memory left, the metric with its largest values does not fit in a datagram, or the
 * bounds are invalid (below).
 */
struct sluice_counter *sluice_client_counter(struct sluice_client *client, const char *name,
                                             const char *unit, const struct sluice_label *labels);

/* The same for a gauge, which is sent after its first sluice_gauge_set. */
struct sluice_gauge *sluice_client_gauge(struct sluice_client *client, const char *name,
                                         const char *unit, const struct sluice_label *labels);

/*
 * The same for a histogram with `bound_count` (1 to SLUICE_BOUNDS_MOST) upper bounds of buckets:
 * finite, ascending, inclusive. A further bucket without a bound counts larger values.
 */
struct sluice_histogram *sluice_client_histogram(struct sluice_client *client, const char *name,
                                                 const char *unit,
                                                 const struct sluice_label *labels,
                                                 const double *bounds, size_t bound_count);

/* Adds to a counter. After 2^64 - 1 it continues at 0. */
void sluice_counter_add(struct sluice_counter *counter, uint64_t value);

/* Sets a gauge; a flush sends the last value. */
void sluice_gauge_set(struct sluice_gauge *gauge, double value);

/*
 * Records a value in a histogram: adds to a bucket, then to the sum. A flush between the two sends
 * the first without the second. NaN is not recorded and counts in not_recorded.
 */
void sluice_histogram_record(struct sluice_histogram *histogram, double value);

enum sluice_flushed {
    SLUICE_SENT,    /* every metric was accepted by the system */
    SLUICE_BUSY,    /* another thread is flushing; this call had no effect */
    SLUICE_FULL,    /* the socket is full: the next flush sends the rest first */
    SLUICE_FAILED,  /* the system would not send; see last_error. The next flush goes on after it */
    SLUICE_NOT_DUE, /* sluice_client_flush_every: the time is not over yet */
    SLUICE_OFF,     /* the client is NULL, or was opened by the process that forked this one */
};

/*
 * Sends every metric in as few datagrams as possible. Never waits: it sends with MSG_DONTWAIT, and
 * values that could not be sent stay for the next flush. A datagram gets its sequence number when
 * the system accepts it, so datagrams that the collector reports as lost were lost in transit. If
 * the port is closed, an ICMP error reports it for an earlier datagram; it counts in refused, and
 * sending continues.
 */
enum sluice_flushed sluice_client_flush(struct sluice_client *client);

/*
 * Flushes if the last flush began at least `milliseconds` ago. Call it often and from any thread,
 * for example after each request; one of the threads flushes.
 */
enum sluice_flushed sluice_client_flush_every(struct sluice_client *client, unsigned milliseconds);

/*
 * In a child of fork(2): starts a new life of the client, with its own socket, boot_id and
 * sequence. All values begin at 0, gauges are unset, and the counts are 0. Metrics stay registered,
 * and pointers stay valid. `sender` names this process, as in sluice_client_open. NULL keeps the
 * name, which is right if the parent ends (a daemon).
 *
 * Returns 0, or -1 with errno set as by sluice_client_open; the client is then off. EMSGSIZE also
 * means that with this sender a registered metric may not fit in a datagram.
 */
int sluice_client_renew(struct sluice_client *client, const char *sender);

/* Counts since the client was opened or renewed. */
struct sluice_client_counts {
    uint64_t metrics;         /* registered now */
    uint64_t metrics_refused; /* see sluice_client_counter for the reasons */
    uint64_t not_recorded;    /* NaN values of histograms */
    uint64_t flushes;         /* except those with the result SLUICE_BUSY or SLUICE_OFF */
    uint64_t busy;            /* because another thread was flushing */
    uint64_t datagrams;       /* accepted by the system */
    uint64_t bytes;           /* in them */
    uint64_t samples;         /* in them */
    uint64_t oversized;       /* datagrams with one metric that exceeds the MTU: IP fragments them;
                                 0 if settings.datagram is set */
    uint64_t full;            /* times that the socket was full */
    uint64_t refused;         /* ICMP errors: the port is closed */
    uint64_t failed;          /* datagrams that the system refused to send */
    int last_error;           /* errno of the last of these, or 0 */
    size_t datagram;          /* the largest datagram of the last flush; 0 before the first */
};

/* Returns the counts; all are 0 if the client is NULL. */
struct sluice_client_counts sluice_client_counts(const struct sluice_client *client);

#ifdef __cplusplus
}
#endif

#endif
