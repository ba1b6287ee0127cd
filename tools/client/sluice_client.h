/*
 * Sends an application's metrics to Sluice over UDP, in Sluice's own schema (telemetry).
 *
 *     struct sluice_client *client = sluice_client_open("127.0.0.1:5555", "web1/shop", NULL);
 *     struct sluice_counter *orders = sluice_client_counter(client, "shop.orders", "1", NULL);
 *     sluice_counter_add(orders, 1);
 *     sluice_client_flush(client);
 *     sluice_client_close(client);
 *
 * The collector listens with --listen 'udp://127.0.0.1:5555?schema=telemetry'.
 *
 * Updates are aggregated in the client: an update changes a number in memory, and a flush sends the
 * numbers. A flush sends every metric, even if it has not changed. Counters and histograms are
 * cumulative (the sum since the client was opened), so the next flush makes up for a lost datagram.
 *
 * Lifecycle: open a client, register metrics, update them, flush, close. Register a metric once and
 * keep the pointer: registering searches all metrics. A metric lives as long as its client.
 *
 * Threads: every function may be called by any thread at any time, except sluice_client_close and
 * sluice_client_renew, during which no other function may use the client. Updates are lock-free,
 * make no system call, and may be called in a signal handler. The library starts no thread: the
 * application calls sluice_client_flush, or sluice_client_flush_every, which costs little until a
 * flush is due. No function waits for a lock or for a full socket.
 *
 * Memory: sluice_client_open allocates once. No other function allocates.
 *
 * fork: a child does not send the values of its parent. In a child the client is off, and a flush
 * returns SLUICE_OFF, until sluice_client_renew starts a new life of the client there.
 *
 * Errors: every function accepts a NULL client or metric and then has no effect, so an application
 * can run without its metrics. sluice_client_counts returns the numbers of failures.
 *
 * Texts are UTF-8 and end with a zero byte. The client copies them.
 *
 * The library needs POSIX and lock-free 64-bit atomics (C11), and has no other dependency. C++ can
 * include this header. Link with `pkg-config --libs sluice-client`, or compile sluice_client.c into
 * the application.
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

/* An element of an array of labels. The last element has a NULL key. */
struct sluice_label {
    const char *key;
    const char *value;
};

/*
 * Seals the datagrams of one client at a time, so that the collector can verify their sender.
 * sluice_seal.h makes a sealer from a key. The client calls these functions; an application does
 * not.
 */
struct sluice_sealer {
    /*
     * Begins a session, when a client is opened or renewed. Returns 0 or an errno: EBUSY if another
     * client uses the sealer.
     */
    int (*begin)(struct sluice_sealer *sealer);

    /*
     * Seals a datagram in place. The buffer contains SLUICE_SEAL_HEADER free bytes, `size` bytes to
     * seal, and SLUICE_SEAL_TAG free bytes. Returns 0 or an errno.
     */
    int (*seal)(struct sluice_sealer *sealer, uint8_t *datagram, size_t size);

    /* Ends the session. Then another client may use the sealer. */
    void (*end)(struct sluice_sealer *sealer);
};

/* Bytes that sealing adds before and after the content of a datagram. */
#define SLUICE_SEAL_HEADER 40
#define SLUICE_SEAL_TAG    16

/* A setting that is 0 or NULL has its default value. */
struct sluice_settings {
    /*
     * Labels of all metrics of the client. If a metric has a label with the same key, the metric's
     * label is used.
     */
    const struct sluice_label *labels;

    /*
     * Bytes that the client allocates: default 1 MiB, at least 64 KiB. A metric takes about 80
     * bytes and the lengths of its texts, and a histogram also 16 bytes for each bucket, rounded up
     * to a multiple of 64 bytes.
     */
    size_t memory;

    /*
     * The maximum size of a datagram in bytes, without IP and UDP headers, from 512 to
     * SLUICE_DATAGRAM_MOST. No datagram is larger: a metric that could need more is not registered.
     *
     * The default follows the path's MTU, which is read before each flush (Linux: IP_MTU, IPV6_MTU;
     * other systems: 1500 for IPv4 and 1280 for IPv6). With the default, a metric that exceeds the
     * MTU gets a datagram of its own. IP fragments it, and it is counted in oversized.
     */
    size_t datagram;

    /*
     * Seals each datagram, which then has 56 bytes less for metrics. The caller closes the sealer
     * after the client. By default datagrams are not sealed.
     */
    struct sluice_sealer *sealer;
};

/*
 * The maximum size of a datagram in bytes, without IP and UDP headers. It fits an MTU of 9000 with
 * IPv4, and is also used for a larger MTU, such as that of a loopback interface.
 */
#define SLUICE_DATAGRAM_MOST 8972

/* The maximum number of bounds of a histogram. */
#define SLUICE_BOUNDS_MOST 128

/*
 * Opens a client that sends to `to`, "HOST:PORT" or "[IPV6]:PORT". A host name is resolved once,
 * which may wait for a name server. An address is used without waiting.
 *
 * `sender` is the sender's name, e.g. "web1/shop": at most 200 bytes, the same after a restart, and
 * used by only one process of its host at a time. The collector finds lost datagrams by the
 * sender's sequence numbers. `settings` may be NULL.
 *
 * Returns NULL with errno set: EINVAL (an invalid argument), EADDRNOTAVAIL (no such host), EMSGSIZE
 * (the sender's name and the labels take more than 1024 bytes), ENOMEM, EBUSY (another client uses
 * the sealer), or the error of socket(2) or connect(2).
 */
struct sluice_client *sluice_client_open(const char *to, const char *sender,
                                         const struct sluice_settings *settings);

/* Flushes once more, closes the socket and frees the client and its metrics. */
void sluice_client_close(struct sluice_client *client);

/*
 * Registers a counter, or returns the registered counter with the same texts. `unit` is a UCUM code
 * ("1", "By", "s") or NULL; `labels` may be NULL.
 *
 * Returns NULL and counts it in metrics_refused if a text is not UTF-8, the name is empty, the
 * client has no memory left, or the metric with its maximum values does not fit in a datagram.
 */
struct sluice_counter *sluice_client_counter(struct sluice_client *client, const char *name,
                                             const char *unit, const struct sluice_label *labels);

/*
 * Registers a gauge as sluice_client_counter does. A flush sends the gauge only after the first
 * sluice_gauge_set.
 */
struct sluice_gauge *sluice_client_gauge(struct sluice_client *client, const char *name,
                                         const char *unit, const struct sluice_label *labels);

/*
 * Registers a histogram as sluice_client_counter does. `bounds` are the upper bounds of its
 * buckets: 1 to SLUICE_BOUNDS_MOST numbers, finite and ascending; otherwise the histogram is
 * refused. A value that equals a bound counts in the bucket of that bound. One more bucket, without
 * a bound, counts larger values. A registered histogram is returned only if it has the same bounds,
 * too.
 */
struct sluice_histogram *sluice_client_histogram(struct sluice_client *client, const char *name,
                                                 const char *unit,
                                                 const struct sluice_label *labels,
                                                 const double *bounds, size_t bound_count);

/* Adds to a counter. After 2^64 - 1 the counter continues at 0. */
void sluice_counter_add(struct sluice_counter *counter, uint64_t value);

/* Sets a gauge; a flush sends the last value. */
void sluice_gauge_set(struct sluice_gauge *gauge, double value);

/*
 * Adds 1 to a bucket, then adds the value to the sum. A flush between these two steps sends the new
 * bucket with the old sum. NaN is not recorded, and is counted in not_recorded.
 */
void sluice_histogram_record(struct sluice_histogram *histogram, double value);

enum sluice_flushed {
    SLUICE_SENT,    /* every metric was accepted by the system */
    SLUICE_BUSY,    /* another thread is flushing; this call had no effect */
    SLUICE_FULL,    /* the socket is full; the next flush begins with the unsent metrics */
    SLUICE_FAILED,  /* a datagram was refused, see last_error; the next flush continues after it */
    SLUICE_NOT_DUE, /* sluice_client_flush_every: the next flush is not due yet */
    SLUICE_OFF,     /* the client is NULL, or was opened by the process that forked this one */
};

/*
 * Sends every metric, in as few datagrams as possible. Never waits: it sends with MSG_DONTWAIT, and
 * values that could not be sent remain for the next flush. A datagram gets its sequence number when
 * the system accepts it, so datagrams that the collector reports as lost were lost on the network.
 * If the port is closed, an ICMP error reports this for an earlier datagram: the error is counted
 * in refused, and sending continues.
 */
enum sluice_flushed sluice_client_flush(struct sluice_client *client);

/*
 * Flushes if the last flush began at least `milliseconds` ago. Call this function often and from
 * any thread, for example after each request. If several threads call it at once, one of them
 * flushes.
 */
enum sluice_flushed sluice_client_flush_every(struct sluice_client *client, unsigned milliseconds);

/*
 * In a child of fork(2): starts a new life of the client, with its own socket, boot_id and
 * sequence. All values begin at 0, gauges are unset, and the counts are 0. Metrics stay registered,
 * and pointers stay valid. `sender` is the name of this process, see sluice_client_open. NULL keeps
 * the name, for a child whose parent ends (a daemon).
 *
 * Returns 0, or -1 with errno set as by sluice_client_open; the client is then off. EMSGSIZE also
 * means that a registered metric might not fit in a datagram with this sender's name.
 */
int sluice_client_renew(struct sluice_client *client, const char *sender);

/* Counts since the client was opened or renewed. */
struct sluice_client_counts {
    uint64_t metrics;         /* number of registered metrics */
    uint64_t metrics_refused; /* failed registrations; see sluice_client_counter */
    uint64_t not_recorded;    /* NaN values recorded in histograms */
    uint64_t flushes;         /* without those that returned SLUICE_BUSY or SLUICE_OFF */
    uint64_t busy;            /* flushes without effect because another thread was flushing */
    uint64_t datagrams;       /* datagrams that the system accepted */
    uint64_t bytes;           /* in these datagrams */
    uint64_t samples;         /* in these datagrams */
    /*
     * Datagrams that exceed the MTU because of a single large metric, and that IP fragments. 0 if
     * settings.datagram is set.
     */
    uint64_t oversized;
    uint64_t full;    /* number of times that the socket was full */
    uint64_t refused; /* ICMP errors that report a closed port */
    /*
     * Datagrams that the system refused, or that could not be sealed because no key is valid now.
     */
    uint64_t failed;
    int last_error; /* errno of the last failed datagram, or 0; EACCES: not sealed */
    /*
     * The maximum size of a datagram in the last flush, in bytes. 0 means that there was no flush
     * yet.
     */
    size_t datagram;
};

/* Returns the counts of the client. They are zero if the client is NULL. */
struct sluice_client_counts sluice_client_counts(const struct sluice_client *client);

#ifdef __cplusplus
}
#endif

#endif
