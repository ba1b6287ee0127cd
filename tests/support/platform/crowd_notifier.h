/*
 * Implements a notifier that reports every socket repeatedly, ready or not, to any waiting thread.
 * The contract of a notifier allows that. It is the worst case for a receiver's threads.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_CROWD_NOTIFIER_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_CROWD_NOTIFIER_H

#include "collector/platform/notifier.h"

extern const struct notifier_backend crowd_notifier;

#endif
