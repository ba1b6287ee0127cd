/*
 * Makes addresses and lists of networks for tests from texts. Fails the running cmocka test if a
 * text is not valid.
 */
#ifndef SLUICE_TESTS_SUPPORT_BASE_NETWORK_MAKING_H
#define SLUICE_TESTS_SUPPORT_BASE_NETWORK_MAKING_H

#include <string.h>

#include "collector/base/networks.h"
#include "tests/support/test.h"

static inline struct address host(const char *text)
{
    struct address address;
    assert_true(address_parse_host(text, strlen(text), &address));
    return address;
}

static inline struct network network(const char *text, unsigned prefix)
{
    return (struct network){host(text), (uint8_t)prefix};
}

/* Returns the networks of the list. The caller frees them. */
static inline struct networks *made(const struct network *list, size_t count)
{
    struct networks *networks = networks_create(list, count);
    assert_non_null(networks);
    return networks;
}

#endif
