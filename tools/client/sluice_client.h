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
 * numbers. Counters and histograms are cumulative (the sum since the client was opened), so a
 * datagram that is lost loses nothing that the next flush does not bring. A flush sends every
 * metric, also those that did not change.
 *
 * Lifecycle: open a client, register metrics, update them, flush, close. Register a metric once and
 * keep the pointer: registering searches all metrics. A metric lives as long as its client.
 *
 * Threads: every function may be called by any thread at any time, except sluice_client_close and
 * sluice_client_renew, which need the client for themselves. Updates are lock-free, make no system
 * call, and may be called in a signal handler. The library starts no thread: the application calls
 * sluice_client_flush where it has time, or sluice_client_flush_every, which costs little until it
 * is due. Nothing here waits for a lock, or for a socket that is full.
 *
 * Memory: sluice_client_open allocates once. No other function allocates.
 *
 * fork: a child does not send what its parent counted. In a child the client is off, and a flush
 * returns SLUICE_OFF, until sluice_client_renew begins a new life for it there.
 *
 * Errors: a NULL client or metric is allowed everywhere and does nothing, so that an application
 * runs on without its metrics. What went wrong is in sluice_client_counts.
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

/* An array of labels ends with a key that is NULL. */
struct sluice_label {
    const char *key;
    const char *value;
};

/* What is 0 or NULL has its default. */
struct sluice_settings {
    /* Labels of every metric of the client. A metric's own label of the same key wins. */
    const struct sluice_label *labels;

    /*
     * Bytes that the client allocates, 1 MiB by default, at least 64 KiB. A metric takes some 80
     * bytes and the lengths of its texts, a histogram 16 more for each bucket, in steps of 64.
     */
    size_t memory;

    /*
     * The largest datagram in bytes, without the headers of IP and UDP, from 512 to
     * SLUICE_DATAGRAM_MOST. No datagram is larger: a metric that could need more is not registered.
     *
     * By default what the path's MTU leaves, which is looked up before each flush (Linux: IP_MTU,
     * IPV6_MTU; elsewhere it is taken as 1500 for IPv4, 1280 for IPv6). A metric that needs more
     * then has a datagram of its own, which IP fragments and which counts in oversized.
     */
    size_t datagram;
};

/* What an MTU of 9000 leaves with IPv4. Of a larger MTU, as a loopback interface has, no more. */
#define SLUICE_DATAGRAM_MOST 8972

/* Upper bounds that a histogram may have. */
#define SLUICE_BOUNDS_MOST 128

/*
 * Opens a client that sends to `to`, "HOST:PORT" or "[IPV6]:PORT". A name is looked up here, once,
 * which may wait for a name server; an address does not wait.
 *
 * `sender` names the sender, e.g. "web1/shop": at most 200 bytes, the same after a restart, and of
 * one process of its host at a time. The collector finds lost datagrams by the sender's sequence
 * numbers. `settings` may be NULL.
 *
 * Returns NULL with errno set: EINVAL (an argument is not as above), EADDRNOTAVAIL (no such host),
 * EMSGSIZE (the sender's name and the labels take more than 1024 bytes), ENOMEM, or what socket(2)
 * or connect(2) reports.
 */
struct sluice_client *sluice_client_open(const char *to, const char *sender,
                                         const struct sluice_settings *settings);

/* Flushes once more, closes the socket and frees the client and its metrics. */
void sluice_client_close(struct sluice_client *client);

/*
 * Registers a metric, or returns the one that is registered with the same texts and bounds. `unit`
 * is a UCUM code ("1", "By", "s") or NULL; `labels` may be NULL.
 *
 * Returns NULL, which counts in metrics_refused: a text is not UTF-8, the name is empty, the client
 * has no memory left, the metric with its largest values fits no datagram, or the bounds are none (below).
 */
struct sluice_counter *sluice_client_counter(struct sluice_client *client, const char *name,
                                             const char *unit, const struct sluice_label *labels);

/* The same; a gauge is sent from its first sluice_gauge_set on. */
struct sluice_gauge *sluice_client_gauge(struct sluice_client *client, const char *name,
                                         const char *unit, const struct sluice_label *labels);

/*
 * The same with `bound_count` (1 to SLUICE_BOUNDS_MOST) upper bounds of buckets: finite, ascending,
 * each inclusive. One bucket more, for what is above the last bound, is there without a bound.
 */
struct sluice_histogram *sluice_client_histogram(struct sluice_client *client, const char *name,
                                                 const char *unit,
                                                 const struct sluice_label *labels,
                                                 const double *bounds, size_t bound_count);

/* Adds to a counter. It begins again at 0 after 2^64 - 1. */
void sluice_counter_add(struct sluice_counter *counter, uint64_t value);

/* Sets a gauge; the last value before a flush is the one that is sent. */
void sluice_gauge_set(struct sluice_gauge *gauge, double value);

/*
 * Records a value in a histogram: adds to a bucket, then to the sum. A flush between the two sends
 * the first without the second. A NaN is not recorded, which counts in not_recorded.
 */
void sluice_histogram_record(struct sluice_histogram *histogram, double value);

enum sluice_flushed {
    SLUICE_SENT,    /* every metric was handed to the system */
    SLUICE_BUSY,    /* another thread is flushing; this call did nothing */
    SLUICE_FULL,    /* the socket is full: the rest is sent first by the next flush */
    SLUICE_FAILED,  /* the system would not send; see last_error. The next flush goes on after it */
    SLUICE_NOT_DUE, /* sluice_client_flush_every: not yet */
    SLUICE_OFF,     /* the client is NULL, or was opened by the process that forked this one */
};

/*
 * Sends every metric in as few datagrams as hold them. Never waits: it sends with MSG_DONTWAIT, and
 * values that could not be sent stay for the next flush. A datagram gets its sequence number when
 * the system takes it, so what the collector reports as lost was lost on its way. Where nobody
 * listens, an ICMP error reports it for an earlier datagram; it counts in refused, and sending goes
 * on.
 */
enum sluice_flushed sluice_client_flush(struct sluice_client *client);

/*
 * Flushes if the last flush began at least `milliseconds` ago. Made to be called often and by many
 * threads, for example after each request; one of them flushes.
 */
enum sluice_flushed sluice_client_flush_every(struct sluice_client *client, unsigned milliseconds);

/*
 * In a child of fork(2): begins a new life of the client, with a socket, a boot_id and a sequence
 * of its own. All values begin at 0 again, gauges are unset, and the counts are 0; metrics stay
 * registered and pointers valid. `sender` names this process, as for sluice_client_open. NULL keeps
 * the name, which is right where the parent ends (a daemon).
 *
 * Returns 0, or -1 with errno set as sluice_client_open does; the client is then off. EMSGSIZE also
 * means that with this sender a registered metric may fit no datagram.
 */
int sluice_client_renew(struct sluice_client *client, const char *sender);

/* What the client did since it was opened or renewed. */
struct sluice_client_counts {
    uint64_t metrics;         /* registered now */
    uint64_t metrics_refused; /* not registered: sluice_client_counter says why */
    uint64_t not_recorded;    /* values that were NaN, of histograms */
    uint64_t flushes;         /* that did not end as SLUICE_BUSY or SLUICE_OFF */
    uint64_t busy;            /* that did, because another thread was flushing */
    uint64_t datagrams;       /* that the system took */
    uint64_t bytes;           /* in them */
    uint64_t samples;         /* in them */
    uint64_t oversized;       /* of them with one metric that exceeds the MTU: IP fragments these;
                                 0 where settings.datagram is set */
    uint64_t full;            /* times that the socket was full */
    uint64_t refused;         /* ICMP errors: nobody listens at the port */
    uint64_t failed;          /* datagrams that the system would not send */
    int last_error;           /* errno of the last of these; 0: there was none */
    size_t datagram;          /* the largest datagram of the last flush; 0 before the first */
};

/* All 0 where the client is NULL. */
struct sluice_client_counts sluice_client_counts(const struct sluice_client *client);

#ifdef __cplusplus
}
#endif

#endif
