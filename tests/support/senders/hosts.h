/* Many hosts, by their numbers. */
#ifndef SLUICE_TESTS_SUPPORT_SENDERS_HOSTS_H
#define SLUICE_TESTS_SUPPORT_SENDERS_HOSTS_H

#include <stdint.h>

#include "collector/base/address.h"

/* Host number `n`, from any port. */
struct address host(uint32_t n);

#endif
