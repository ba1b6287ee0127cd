/*
 * A notifier for streams that has a fault, in front of one that has none: what the contract's tests
 * must find. For one thread, and one registration at a time.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_FAULTY_NOTIFIER_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_FAULTY_NOTIFIER_H

#include "collector/platform/notifier.h"

enum notifier_fault {
    FAULT_HELD_BEFORE,    /* what held before it was watched is not reported */
    FAULT_HELD_AGAIN,     /* nor what holds when it is armed again */
    FAULT_NOT_DISARMED,   /* after an event there is the next one, without an arming */
    FAULT_TWO_EVENTS,     /* each event comes twice */
    FAULT_NOT_ASKED,      /* it reports what it is not armed for */
    FAULT_NO_HANG_UP,     /* a hang-up is not reported */
    FAULT_ONLY_A_HANG_UP, /* data is reported as a hang-up, as if that were the end of it */
    FAULT_NO_WAKE_UP,     /* a wake-up is lost */
    FAULT_WATCHED_STILL,  /* one that is not watched any more is reported */
    FAULT_LATE_EVENT,     /* so is what had happened before that and nobody had taken */
    FAULTS,
};

/* The backend with this fault, on top of a sound one. Both serve until the next call of it. */
const struct notifier_backend *faulty_notifier(const struct notifier_backend *sound,
                                               enum notifier_fault fault);

#endif
