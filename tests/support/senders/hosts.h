/* Returns addresses of many hosts. */
#ifndef SLUICE_TESTS_SUPPORT_SENDERS_HOSTS_H
#define SLUICE_TESTS_SUPPORT_SENDERS_HOSTS_H

#include <stdint.h>

#include "collector/base/address.h"

/* Returns the address of host number `n`. Its port is irrelevant. */
struct address host(uint32_t n);

#endif
