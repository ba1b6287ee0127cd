/*
 * A notifier for streams with a fault, on top of a correct one: the contract's tests must find the
 * fault. For one thread, and one registration at a time.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_FAULTY_NOTIFIER_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_FAULTY_NOTIFIER_H

#include "collector/platform/notifier.h"

enum notifier_fault {
    FAULT_HELD_BEFORE,    /* a condition that held before the watch is not reported */
    FAULT_HELD_AGAIN,     /* a condition that holds at an arming is not reported */
    FAULT_NOT_DISARMED,   /* after an event the next one comes without an arming */
    FAULT_TWO_EVENTS,     /* each event comes twice */
    FAULT_NOT_ASKED,      /* conditions are reported that it is not armed for */
    FAULT_NO_HANG_UP,     /* a hang-up is not reported */
    FAULT_ONLY_A_HANG_UP, /* data is reported as a hang-up only */
    FAULT_NO_WAKE_UP,     /* a wake-up is lost */
    FAULT_WATCHED_STILL,  /* a stream is reported after it was unwatched */
    FAULT_LATE_EVENT,     /* an event is reported that came before the unwatch and was not taken */
    FAULT_NOT_CLOSED,     /* a stream that was unwatched is not closed */
    FAULT_CLOSED_TWICE,   /* or closed twice, the second time as another socket with its number */
    FAULTS,
};

/* The backend with this fault, on top of a correct one. Valid until the next call. */
const struct notifier_backend *faulty_notifier(const struct notifier_backend *sound,
                                               enum notifier_fault fault);

#endif
