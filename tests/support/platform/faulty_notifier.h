/*
 * Wraps a correct notifier for streams and adds one fault. The tests of the notifier's contract
 * must find each of these faults. For one thread, and one registration at a time.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_FAULTY_NOTIFIER_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_FAULTY_NOTIFIER_H

#include "collector/platform/notifier.h"

enum notifier_fault {
    FAULT_HELD_BEFORE,    /* a condition that was true before the watch is not reported */
    FAULT_HELD_AGAIN,     /* a condition that is true when the stream is armed is not reported */
    FAULT_NOT_DISARMED,   /* a second event comes without another arming */
    FAULT_TWO_EVENTS,     /* each event comes twice */
    FAULT_NOT_ASKED,      /* conditions are reported for which the stream is not armed */
    FAULT_NO_HANG_UP,     /* a hang-up is not reported */
    FAULT_ONLY_A_HANG_UP, /* data is reported as a hang-up only */
    FAULT_NO_WAKE_UP,     /* a wake-up is lost */
    FAULT_WATCHED_STILL,  /* a stream is reported after it was unwatched */
    FAULT_LATE_EVENT,     /* an event from before the unwatch is reported after it */
    FAULT_NOT_CLOSED,     /* an unwatched stream is not closed */
    FAULT_CLOSED_TWICE,   /* an unwatched stream is closed twice, which may close a new socket with
                             the same number */
    FAULTS,
};

/* Returns the backend `sound` with this fault. The next call overwrites it. */
const struct notifier_backend *faulty_notifier(const struct notifier_backend *sound,
                                               enum notifier_fault fault);

#endif
