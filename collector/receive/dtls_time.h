/*
 * Divides among hosts the time that the thread of a DTLS socket spends on handshakes.
 *
 * The socket saves up time for handshakes: half of the time that passes, at most DTLS_TIME_SAVED.
 * Each host has an account: the time that its handshakes have used, which decays to 0 in
 * DTLS_TIME_FORGOTTEN. A host may begin a handshake while the saved time exceeds half of its
 * account. A single host that tries again and again therefore gets time at the rate at which it is
 * saved, but never all of it, so that hosts with small accounts need not wait. Hosts that use all
 * they can get have equal accounts.
 *
 * The accounts are in the table that counts the clients of each host (stream_hosts.h). A host that
 * has used time stays in the table without a client, so that it cannot clear its account by ending
 * its handshakes. At most DTLS_TIME_HOSTS hosts stay in this way; beyond that, the one with the
 * smallest account is removed.
 *
 * All times are nanoseconds, and `now_ns` is monotonic. Allocates no memory. One thread at a time.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DTLS_TIME_H
#define SLUICE_COLLECTOR_RECEIVE_DTLS_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/receive/stream_hosts.h"

/* The upper limit of saved time. After a pause, handshakes may take this much at once. */
#define DTLS_TIME_SAVED INT64_C(500000000)

/* The upper limit of the deficit, if handshakes take longer than was saved. */
#define DTLS_TIME_OWED INT64_C(500000000)

/* An account decays to 0 in this time, unless the host uses more. */
#define DTLS_TIME_FORGOTTEN INT64_C(500000000)

/* The upper limit of hosts that stay in the table without a client. */
#define DTLS_TIME_HOSTS 64

struct dtls_time {
    int64_t saved_ns; /* negative after handshakes that took longer than was saved */
    int64_t since_ns; /* time at which `saved_ns` was computed */
    struct stream_hosts *hosts;
    struct stream_host *kept[DTLS_TIME_HOSTS];
    size_t kept_count;
};

/*
 * Begins with DTLS_TIME_SAVED. The caller owns `hosts`, which must have room for DTLS_TIME_HOSTS
 * more hosts.
 */
void dtls_time_begin(struct dtls_time *time, struct stream_hosts *hosts, int64_t now_ns);

/* Returns true if a handshake of the host may begin. NULL is a host that is not in the table. */
bool dtls_time_allows(struct dtls_time *time, const struct stream_host *host, int64_t now_ns);

/* Adds time that a handshake of the host took. The host must have a client. */
void dtls_time_spend(struct dtls_time *time, struct stream_host *host, int64_t spent_ns,
                     int64_t now_ns);

#endif
