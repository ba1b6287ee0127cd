/*
 * The end of a registration with ProcessSocketNotifications, for the notifiers that use that
 * function. Only for platform/windows/.
 *
 * The removal is requested once, and its REMOVE packet is awaited. A request that fails leaves the
 * registration as it was, so it is repeated every PSN_ASK_AGAIN_MS. If the REMOVE packet has not
 * come PSN_REMOVE_MS after the first request, the registration is given up: its socket is closed,
 * which ends the registration without a packet, and late packets are ignored.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_PSN_REMOVAL_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_PSN_REMOVAL_H

#include <stdbool.h>
#include <stdint.h>

#define PSN_ASK_AGAIN_MS 100
#define PSN_REMOVE_MS    5000

struct psn_removal {
    bool begun;       /* the removal was requested; the other members are valid */
    bool asked;       /* a request succeeded */
    int64_t again_ns; /* monotonic time when a failed request is repeated */
    int64_t end_ns;   /* monotonic time when the registration is given up */
};

/*
 * Records the first request, made at `now_ns` (monotonic). `asked` is true if the request
 * succeeded.
 */
static inline void psn_removal_begin(struct psn_removal *removal, int64_t now_ns, bool asked)
{
    *removal = (struct psn_removal){true, asked, now_ns + PSN_ASK_AGAIN_MS * INT64_C(1000000),
                                    now_ns + PSN_REMOVE_MS * INT64_C(1000000)};
}

/* Records a repeated request. */
static inline void psn_removal_repeat(struct psn_removal *removal, int64_t now_ns, bool asked)
{
    removal->asked = asked;
    removal->again_ns = now_ns + PSN_ASK_AGAIN_MS * INT64_C(1000000);
}

/* Returns the monotonic time when the removal must be checked next, or INT64_MAX. */
static inline int64_t psn_removal_due_ns(const struct psn_removal *removal)
{
    if (!removal->begun)
        return INT64_MAX;
    return removal->asked || removal->end_ns < removal->again_ns ? removal->end_ns
                                                                 : removal->again_ns;
}

#endif
