/*
 * Parses one network, or a list of networks. Pure except for allocations; any thread.
 *
 * The text of a fault begins with `name`; its offset is counted from the beginning of `text`.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_NETWORK_H
#define SLUICE_COLLECTOR_CONFIG_NETWORK_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/networks.h"
#include "collector/base/parse_error.h"

/* Syntax of a list for help texts. */
#define NETWORKS_SYNTAX "ADDR[/BITS],..."

/*
 * Parses all `length` bytes of "10.1.0.0/16", "2001:db8::/32" or an address without bits, which
 * means only that address. In an IPv4-mapped network the number of bits counts all 128 bits; the
 * result is the IPv4 network. Returns false with `fault` filled.
 */
bool network_parse(const char *name, const char *text, size_t length, struct network *network,
                   struct parse_error *fault);

/*
 * A setting_parser (setting.h): parses one or more comma-separated networks into a struct networks
 * *, which the caller frees with networks_free.
 */
bool networks_parse(const char *name, const char *text, size_t length, void *field,
                    struct parse_error *fault);

/*
 * A setting_parser (setting.h) for an address without a number of bits. The field is a struct
 * address.
 */
bool network_host_parse(const char *name, const char *text, size_t length, void *field,
                        struct parse_error *fault);

#endif
