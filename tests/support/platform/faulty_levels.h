/*
 * Wraps a correct notifier for persistent levels and adds one fault. The tests of the notifier's
 * contract must find each of these faults. There can be one such notifier at a time.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_FAULTY_LEVELS_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_FAULTY_LEVELS_H

#include "collector/platform/notifier.h"

enum level_fault {
    LEVEL_FAULT_NOTHING,       /* no condition is reported */
    LEVEL_FAULT_ONCE,          /* a condition is reported only once, even after a partial read */
    LEVEL_FAULT_NO_HANG_UP,    /* a hang-up is not reported */
    LEVEL_FAULT_NOT_REQUESTED, /* conditions are reported that were not requested */
    LEVEL_FAULT_NOT_CHANGED,   /* a change of the requested conditions has no effect */
    LEVEL_FAULT_LATE_EVENT,    /* READY is reported after the removal was requested */
    LEVEL_FAULT_AFTER_REMOVED, /* READY is reported after REMOVED */
    LEVEL_FAULT_NO_REMOVED,    /* REMOVED is not reported */
    LEVEL_FAULT_KEY_REUSED,    /* an event of an earlier registration is reported for a later one */
    LEVEL_FAULT_SAME_AGAIN,    /* if several are ready, the same ones are always reported first */
    LEVEL_FAULT_NO_WAKE_UP,    /* a wake-up is lost */
    LEVEL_FAULT_SILENT_HANDLE, /* the handle does not become readable */
    LEVEL_FAULTS,
};

/* Returns the backend `sound` with this fault. The next call overwrites it. */
const struct notifier_backend *faulty_levels(const struct notifier_backend *sound,
                                             enum level_fault fault);

#endif
