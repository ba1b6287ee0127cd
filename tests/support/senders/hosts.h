/* Many hosts, by their numbers. */
#ifndef SLUICE_TESTS_SUPPORT_SENDERS_HOSTS_H
#define SLUICE_TESTS_SUPPORT_SENDERS_HOSTS_H

#include <stdint.h>

#include "collector/base/address.h"

/* The address of host number `n`. The port does not matter. */
struct address host(uint32_t n);

#endif
