/*
 * The end of a registration with ProcessSocketNotifications, for the notifiers that use that
 * function. Only for this folder.
 *
 * The system is asked once, and its REMOVE packet is awaited. A request that fails leaves the
 * registration as it was, so it is repeated, PSN_ASK_AGAIN_MS later each time. If no REMOVE packet
 * has come PSN_REMOVE_MS after the first request, the registration is given up: its socket is
 * closed, which ends the registration without a packet, and packets that come late are ignored.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_PSN_REMOVAL_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_PSN_REMOVAL_H

#include <stdbool.h>
#include <stdint.h>

#define PSN_ASK_AGAIN_MS 100
#define PSN_REMOVE_MS    5000

struct psn_removal {
    bool begun;       /* all members are valid */
    bool asked;       /* a request succeeded */
    int64_t again_ns; /* monotonic: when a request that failed is repeated */
    int64_t end_ns;   /* monotonic: when it is given up */
};

/* Notes the first request, at `now_ns` (monotonic), and whether it succeeded. */
static inline void psn_removal_begin(struct psn_removal *removal, int64_t now_ns, bool asked)
{
    *removal = (struct psn_removal){true, asked, now_ns + PSN_ASK_AGAIN_MS * INT64_C(1000000),
                                    now_ns + PSN_REMOVE_MS * INT64_C(1000000)};
}

/* Notes a repeated request. */
static inline void psn_removal_repeat(struct psn_removal *removal, int64_t now_ns, bool asked)
{
    removal->asked = asked;
    removal->again_ns = now_ns + PSN_ASK_AGAIN_MS * INT64_C(1000000);
}

/* When the removal must be checked next; INT64_MAX: never. */
static inline int64_t psn_removal_due_ns(const struct psn_removal *removal)
{
    if (!removal->begun)
        return INT64_MAX;
    return removal->asked || removal->end_ns < removal->again_ns ? removal->end_ns
                                                                 : removal->again_ns;
}

#endif
