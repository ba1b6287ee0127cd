/*
 * A notifier for any number of threads that reports every socket again and again, whether there is
 * something or not, to whichever thread asks: what the contract allows, and the most that a
 * receiver's threads can get into each other's way.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_CROWD_NOTIFIER_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_CROWD_NOTIFIER_H

#include "collector/platform/notifier.h"

extern const struct notifier_backend crowd_notifier;

#endif
