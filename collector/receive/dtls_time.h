/*
 * The time that the thread of a DTLS socket spends on handshakes, shared by host.
 *
 * The socket saves up time for handshakes: half of the time that passes, at most DTLS_TIME_SAVED.
 * Each host has an account of the time that its handshakes took, which is forgotten gradually. A
 * host may begin a handshake while the saved time exceeds half of its account. So a host that tries
 * again and again, and no other does, gets time at the rate at which it is saved, but never the
 * last of it: hosts with small accounts need not wait. Hosts that use all they can get have equal
 * accounts.
 *
 * The accounts are in the table that counts the clients of each host (stream_hosts.h). A host that
 * has used time stays in it without a client, so that it cannot lose its account by ending its
 * handshakes. At most DTLS_TIME_HOSTS hosts stay; beyond that, the host with the smallest account
 * goes.
 *
 * All times are nanoseconds, and `now_ns` is monotonic. Allocates no memory. One thread at a time.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DTLS_TIME_H
#define SLUICE_COLLECTOR_RECEIVE_DTLS_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/receive/stream_hosts.h"

/* The most time that is saved. The first handshakes after a pause may take as much at once. */
#define DTLS_TIME_SAVED INT64_C(500000000)

/* The most time that is owed, if handshakes take longer than was saved. */
#define DTLS_TIME_OWED INT64_C(500000000)

/* An account is forgotten in this time, or more slowly if the host goes on using time. */
#define DTLS_TIME_FORGOTTEN INT64_C(500000000)

/* The most hosts that stay in the table without a client. */
#define DTLS_TIME_HOSTS 64

struct dtls_time {
    int64_t saved_ns; /* below 0: it is owed */
    int64_t since_ns; /* when `saved_ns` was computed */
    struct stream_hosts *hosts;
    struct stream_host *kept[DTLS_TIME_HOSTS];
    size_t kept_count;
};

/* Begins with all time saved. `hosts` is not owned; it must have room for DTLS_TIME_HOSTS more. */
void dtls_time_begin(struct dtls_time *time, struct stream_hosts *hosts, int64_t now_ns);

/* Whether a handshake of the host may begin. NULL: a host that is not in the table. */
bool dtls_time_allows(struct dtls_time *time, const struct stream_host *host, int64_t now_ns);

/* Notes time that a handshake of the host took. The host has a client. */
void dtls_time_spend(struct dtls_time *time, struct stream_host *host, int64_t spent_ns,
                     int64_t now_ns);

#endif
