#include "collector/receive/dtls_time.h"

#include "collector/base/rule.h"

/* --- the time of all hosts -------------------------------------------------------------------- */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void dtls_time_begin(struct dtls_time *time, struct stream_hosts *hosts, int64_t now_ns)
{
    *time = (struct dtls_time){.saved_ns = DTLS_TIME_SAVED, .since_ns = now_ns, .hosts = hosts};
}

static void save(struct dtls_time *time, int64_t now_ns)
{
    if (now_ns <= time->since_ns)
        return;
    time->saved_ns = smaller(time->saved_ns + (now_ns - time->since_ns) / 2, DTLS_TIME_SAVED);
    time->since_ns = now_ns;
}

/* --- accounts --------------------------------------------------------------------------------- */

static int64_t account(const struct stream_host *host, int64_t now_ns)
{
    const int64_t passed = now_ns - host->spent_since_ns;
    if (passed <= 0)
        return host->spent_ns;
    if (passed >= DTLS_TIME_FORGOTTEN)
        return 0;
    return host->spent_ns - host->spent_ns * passed / DTLS_TIME_FORGOTTEN;
}

static struct stream_host **smallest(struct dtls_time *time, int64_t now_ns)
{
    struct stream_host **found = &time->kept[0];
    for (size_t i = 1; i < time->kept_count; i++)
        if (account(time->kept[i], now_ns) < account(*found, now_ns))
            found = &time->kept[i];
    return found;
}

static void keep(struct dtls_time *time, struct stream_host *host, int64_t now_ns)
{
    struct stream_host **place = &time->kept[time->kept_count];
    if (time->kept_count < DTLS_TIME_HOSTS)
        time->kept_count++;
    else
        stream_hosts_release(time->hosts, *(place = smallest(time, now_ns)));
    *place = host;
    stream_hosts_keep(host);
}

/* --- handshakes ------------------------------------------------------------------------------- */

bool dtls_time_allows(struct dtls_time *time, const struct stream_host *host, int64_t now_ns)
{
    save(time, now_ns);
    return time->saved_ns > (host == NULL ? 0 : account(host, now_ns) / 2);
}

/*
 * Subtracts the time that a handshake took. The deficit is limited, because the process may have
 * been stopped during the handshake. So handshakes can begin again after about a second.
 */
void dtls_time_spend(struct dtls_time *time, struct stream_host *host, int64_t spent_ns,
                     int64_t now_ns)
{
    RULE(host->connections != 0, "a host with a client uses time");
    save(time, now_ns);
    time->saved_ns -= spent_ns;
    if (time->saved_ns < -DTLS_TIME_OWED)
        time->saved_ns = -DTLS_TIME_OWED;
    host->spent_ns = smaller(account(host, now_ns) + spent_ns, DTLS_TIME_SAVED);
    host->spent_since_ns = now_ns;
    if (!host->is_kept)
        keep(time, host, now_ns);
}
